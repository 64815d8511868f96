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

{#- The same in whatever form four digits of it are found and compared soonest; the digits are the same on all engines. -#}
{%- macro digest_of_draws(text) -%}
{{ adapter.dispatch('sqlmetrics_digest_of_draws', 'sqlmetrics')(text) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_digest_of_draws(text) -%}
{{ sqlmetrics.text_digest(text) }}
{%- endmacro -%}

{#- The first four digits, the next, up to the last: the latter two of four come first, as in a number that ends with the first byte. -#}
{%- macro digits_of_digest(digest, number) -%}
{{ adapter.dispatch('sqlmetrics_digits_of_digest', 'sqlmetrics')(digest, number) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_digits_of_digest(digest, number) -%}
substr({{ digest }}, {{ 4 * number - 1 }}, 2) || substr({{ digest }}, {{ 4 * number - 3 }}, 2)
{%- endmacro -%}

{#- Digits and letters sort as the numbers do. -#}
{%- macro digits_as_compared(digits) -%}
{{ adapter.dispatch('sqlmetrics_digits_as_compared', 'sqlmetrics')(digits) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_digits_as_compared(digits) -%}
'{{ digits }}'
{%- endmacro -%}

{#- Where a text first stands in another, from 1. -#}
{%- macro text_position(text, whole) -%}
{{ adapter.dispatch('sqlmetrics_text_position', 'sqlmetrics')(text, whole) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_text_position(text, whole) -%}
position({{ text }} in {{ whole }})
{%- endmacro -%}
