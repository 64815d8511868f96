{#- A number of the caller's as a literal. A decimal literal of more than 15 digits would pass through a decimal type
    and could lose its last bit on the way to a double; with an exponent it is read as a double at once. -#}
{%- macro number(value) -%}
{%- set text = value | string -%}
{%- if text | length > 16 and 'e' not in text -%}
{{ text }}e0
{%- else -%}
{{ text }}
{%- endif -%}
{%- endmacro -%}

{%- macro text_literal(value) -%}
{{ adapter.dispatch('text_literal', 'sqlmetrics')(value) }}
{%- endmacro -%}

{%- macro default__text_literal(value) -%}
'{{ sqlmetrics.keep_line_breaks(value | replace("'", "''")) }}'
{%- endmacro -%}

{#- Here a backslash takes the next character with it, and Spark 3 reads two quotes as the end of one text and the
    beginning of another. -#}
{%- macro backslashed_text(value) -%}
'{{ sqlmetrics.keep_line_breaks(value | replace('\\', '\\\\') | replace("'", "\\'")) }}'
{%- endmacro -%}

{#- Spark replaces `${name}` by a setting or a variable of the environment before it reads a statement, texts and all. -#}
{%- macro spark__text_literal(value) -%}
{{ sqlmetrics.backslashed_text(value) | replace('${', '$\\{') }}
{%- endmacro -%}

{#- What a backslash means between plain quotes is a setting there, between these it is not. -#}
{%- macro postgres__text_literal(value) -%}
{{ 'E' ~ sqlmetrics.backslashed_text(value) if '\\' in value else sqlmetrics.default__text_literal(value) }}
{%- endmacro -%}

{%- macro redshift__text_literal(value) -%}
{{ sqlmetrics.default__text_literal(value | replace('\\', '\\\\')) }}
{%- endmacro -%}

{%- macro clickhouse__text_literal(value) -%}
{{ sqlmetrics.backslashed_text(value) }}
{%- endmacro -%}

{%- macro bigquery__text_literal(value) -%}
{{ sqlmetrics.backslashed_text(value) }}
{%- endmacro -%}

{%- macro snowflake__text_literal(value) -%}
{{ sqlmetrics.backslashed_text(value) }}
{%- endmacro -%}

{%- macro literal(value) -%}
{{ sqlmetrics.text_literal(value) if value is string else sqlmetrics.number(value) }}
{%- endmacro -%}

{%- macro infinity() -%}
{{ sqlmetrics.to_double("'Infinity'") }}
{%- endmacro -%}
