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
{{ adapter.dispatch('sqlmetrics_text_literal', 'sqlmetrics')(value) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_text_literal(value) -%}
'{{ sqlmetrics.keep_line_breaks(value | replace("'", "''")) }}'
{%- endmacro -%}

{#- Here a backslash takes the next character with it, and Spark 3 reads two quotes as the end of one text and the
    beginning of another. -#}
{%- macro backslashed_text(value) -%}
'{{ sqlmetrics.keep_line_breaks(value | replace('\\', '\\\\') | replace("'", "\\'")) }}'
{%- endmacro -%}

{%- macro literal(value) -%}
{{ sqlmetrics.text_literal(value) if value is string else sqlmetrics.number(value) }}
{%- endmacro -%}

{%- macro infinity() -%}
{{ sqlmetrics.to_double("'Infinity'") }}
{%- endmacro -%}

{#- The digest of a text, as 32 lower-case digits: the only hash that all engines agree on. -#}
{%- macro text_digest(text) -%}
{{ adapter.dispatch('sqlmetrics_text_digest', 'sqlmetrics')(text) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_text_digest(text) -%}
md5({{ text }})
{%- endmacro -%}

{#- Where a text first stands in another, from 1. -#}
{%- macro text_position(text, whole) -%}
{{ adapter.dispatch('sqlmetrics_text_position', 'sqlmetrics')(text, whole) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_text_position(text, whole) -%}
position({{ text }} in {{ whole }})
{%- endmacro -%}
