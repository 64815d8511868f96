{#- A number as a literal. More than 15 digits would be parsed as a decimal, and could lose the last bit in the cast to double. With an
    exponent they are parsed as a double. -#}
{%- macro number(value) -%}{{ value }}{{ 'e0' if value | string | length > 16 and 'e' not in value | string }}{%- endmacro -%}

{#- A string literal. On PostgreSQL a backslash needs an escape string, which every server parses alike. -#}
{%- macro text_literal(value) -%}
{%- set table = sqlmetrics.dialect_table() -%}
{%- set prefix = table.prefix_of_backslashed_texts if '\\' in value else none -%}
{{ prefix or '' }}{{ sqlmetrics.quoted_text(value, "'", {'\\': '\\\\', "'": "\\'"} if prefix else table.text_escapes) }}
{%- endmacro -%}

{%- macro literal(value) -%}{{ sqlmetrics.text_literal(value) if value is string else sqlmetrics.number(value) }}{%- endmacro -%}
