{#- Neither NULL nor NaN: what a metric can compute with. -#}
{%- macro is_number(expression) -%}
{{ adapter.dispatch('sqlmetrics_is_number', 'sqlmetrics')(expression) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_is_number(expression) -%}
{{ expression }} is not null
    and not isnan({{ expression }})
{%- endmacro -%}

{#- Up to the largest double: every dialect reads the number, and not every one a type of two words. -#}
{%- macro is_finite(expression) -%}
abs({{ expression }}) <= 1.7976931348623157e308
{%- endmacro -%}

{#- The square of what is written in brackets or is one name. PostgreSQL calls it an error when a product is too small for a
    double, and not 0: as is the square of a probability of 1e-200. -#}
{%- macro square(expression) -%}
{{ adapter.dispatch('sqlmetrics_square', 'sqlmetrics')(expression) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_square(expression) -%}
{{ expression }} * {{ expression }}
{%- endmacro -%}

{#- The product of two that are written so, for which the same holds. -#}
{%- macro product(expression, other) -%}
{{ adapter.dispatch('sqlmetrics_product', 'sqlmetrics')(expression, other) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_product(expression, other) -%}
{{ expression }} * {{ other }}
{%- endmacro -%}

{#- Whether a condition that is true or false of every row is false. -#}
{%- macro fails(condition) -%}
{{ adapter.dispatch('sqlmetrics_fails', 'sqlmetrics')(condition) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_fails(condition) -%}
not ({{ condition }})
{%- endmacro -%}

{#- A double that is 0 and not -0 where the engine groups by bits: to ClickHouse the two are equal, and two groups. -#}
{%- macro one_zero(expression) -%}
{{ adapter.dispatch('sqlmetrics_one_zero', 'sqlmetrics')(expression) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_one_zero(expression) -%}
{{ expression }}
{%- endmacro -%}

{#- Of values that are all there; engines differ in what the least of NULL and a number is. -#}
{%- macro least_of(values, before='') -%}
{{ return(values[0] if values | length == 1 else 'least(' ~ before ~ values | join(',' ~ (before or ' ')) ~ ')') }}
{%- endmacro -%}

{%- macro greatest_of(values, before='') -%}
{{ return(values[0] if values | length == 1 else 'greatest(' ~ before ~ values | join(',' ~ (before or ' ')) ~ ')') }}
{%- endmacro -%}

{#- Written as a quotient because log(2, x), log2(x) and log(x) mean different things from engine to engine. -#}
{%- macro log2(expression) -%}
ln({{ expression }}) / ln(2)
{%- endmacro -%}

{#- The whole numbers from 0, `count` of them, as a query. -#}
{%- macro series(count, name) -%}
{{ adapter.dispatch('sqlmetrics_series', 'sqlmetrics')(count, name) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_series(count, name) -%}
select range as {{ name }} from range({{ count }})
{%- endmacro -%}

{#- A value to so many digits behind the point, where that is asked for. -#}
{%- macro rounded(value, digits) -%}
{{ return(value if digits is none else adapter.dispatch('sqlmetrics_rounded', 'sqlmetrics')(value, digits)) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_rounded(value, digits) -%}
{{ return('round(' ~ value ~ ', ' ~ digits ~ ')') }}
{%- endmacro -%}
