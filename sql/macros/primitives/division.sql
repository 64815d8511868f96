{#- Division that answers NULL, never an error or NaN, where the denominator is 0. Both sides must be doubles already. -#}
{%- macro safe_divide(numerator, denominator) -%}
{{ numerator }} / nullif({{ denominator }}, 0)
{%- endmacro -%}
