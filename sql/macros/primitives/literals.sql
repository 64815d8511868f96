{#- A number of the caller's as a literal. A decimal literal of more than 15 digits would pass through a decimal type
    and could lose its last bit on the way to a double; with an exponent it is read as a double at once. -#}
{%- macro number(value) -%}{{ value }}{{ 'e0' if value | string | length > 16 and 'e' not in value | string }}{%- endmacro -%}

{#- A text in quotes; on PostgreSQL a backslash in it needs quotes of another form, in which it means the same on every server. -#}
{%- macro text_literal(value) -%}
{%- set table = sqlmetrics.dialect_table() -%}
{%- if '\\' in value and table.prefix_of_backslashed_texts is not none -%}
{{ table.prefix_of_backslashed_texts }}{{ sqlmetrics.quoted_text(value, "'", {'\\': '\\\\', "'": "\\'"}) }}
{%- else -%}
{{ sqlmetrics.quoted_text(value, "'", table.text_escapes) }}
{%- endif -%}
{%- endmacro -%}

{%- macro literal(value) -%}{{ sqlmetrics.text_literal(value) if value is string else sqlmetrics.number(value) }}{%- endmacro -%}
