{%- macro is_nan(expression) -%}
{{ adapter.dispatch('is_nan', 'sqlmetrics')(expression) }}
{%- endmacro -%}

{%- macro default__is_nan(expression) -%}
isnan({{ expression }})
{%- endmacro -%}

{%- macro postgres__is_nan(expression) -%}
{{ expression }} = cast('NaN' as double precision)
{%- endmacro -%}

{#- Written as a quotient because log(2, x), log2(x) and log(x) mean different things from engine to engine. -#}
{%- macro log2(expression) -%}
ln({{ expression }}) / ln(2)
{%- endmacro -%}
