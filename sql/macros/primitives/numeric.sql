{#- Division that answers NULL, never an error or NaN, where the denominator is 0. Both sides must be doubles already. -#}
{%- macro safe_divide(numerator, denominator) -%}
{%- set both = numerator ~ denominator -%}
{{ numerator }}{{ '\n    ' if both.count('sum(') + both.count('case') > 4 or '\n' in both or both | length > 100 else ' ' }}/ nullif({{ denominator }}, 0)
{%- endmacro -%}

{#- Up to the largest double: every dialect reads the number, and not every one a type of two words. -#}
{%- macro is_finite(expression) -%}abs({{ expression }}) <= 1.7976931348623157e308{%- endmacro -%}

{#- Of values that are all there; engines differ in what the least of NULL and a number is. -#}
{%- macro least_of(values, before='') -%}
{{ return(values[0] if values | length == 1 else 'least(' ~ before ~ values | join(',' ~ (before or ' ')) ~ ')') }}
{%- endmacro -%}

{%- macro greatest_of(values, before='') -%}
{{ return(values[0] if values | length == 1 else 'greatest(' ~ before ~ values | join(',' ~ (before or ' ')) ~ ')') }}
{%- endmacro -%}

{#- Written as a quotient because log(2, x), log2(x) and log(x) mean different things from engine to engine. -#}
{%- macro log2(expression) -%}ln({{ expression }}) / ln(2){%- endmacro -%}

{#- The whole numbers from 0, `count` of them, as a query. -#}
{%- macro series(count, name) -%}
{%- if sqlmetrics.dialect_table().series is none -%}
select number - 1 as {{ name }} from (
    {{ sqlmetrics.indented(sqlmetrics.numbers(count, 'number')) }}
) as counted
{%- else -%}
{{ sqlmetrics.dialect_text('series', count, name) | replace('{last}', count - 1) }}
{%- endif -%}
{%- endmacro -%}

{#- A value to so many digits behind the point, where that is requested. -#}
{%- macro rounded(value, digits) -%}{{ value if digits is none else sqlmetrics.dialect_text('rounded', value, digits) }}{%- endmacro -%}

{#- A power of a number from 0 to 1, that of the place before the first being 1; too small a power is 0, and no error of PostgreSQL's. -#}
{%- macro power_of_place(base, exponent) -%}
case
            when coalesce(
                ({{ exponent }})
                * ln(nullif({{ base }}, 0)),
                0
            ) > -700
                then power({{ base }}, {{ exponent }})
            else 0
        end
{%- endmacro -%}
