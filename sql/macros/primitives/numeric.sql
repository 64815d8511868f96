{#- Division by 0 returns NULL, not an error or NaN. Both sides must be doubles. -#}
{%- macro safe_divide(numerator, denominator) -%}
{%- set both = numerator ~ denominator -%}
{{ numerator }}{{ '\n    ' if both.count('sum(') + both.count('case') > 4 or '\n' in both or both | length > 100 else ' ' }}/ nullif({{ denominator }}, 0)
{%- endmacro -%}

{#- Every dialect parses the largest double, but not every one a type name of two words. -#}
{%- macro is_finite(expression) -%}abs({{ expression }}) <= 1.7976931348623157e308{%- endmacro -%}

{#- The values must not be NULL: engines differ in `least` of NULL and a number. -#}
{%- macro extreme_of(function, values, before='') -%}
{{ return(values[0] if values | length == 1 else function ~ '(' ~ before ~ values | join(',' ~ (before or ' ')) ~ ')') }}
{%- endmacro -%}

{#- A quotient, since log(2, x), log2(x) and log(x) differ between engines. -#}
{%- macro log2(expression) -%}ln({{ expression }}) / ln(2){%- endmacro -%}

{#- A subquery of the integers from 1 to `count`, on one line if they are few. -#}
{%- macro numbers(count, name, step) -%}
{%- set rows = sqlmetrics.for_each(range(1, count + 1) | map('string'), 'select {0} as ' ~ name) -%}
({{ rows | join(' union all ') if count <= 3 else '\n    ' ~ rows | join('\n    union all\n    ') ~ '\n' }}) as {{ step }}
{%- endmacro -%}

{#- A query of the integers from 0 to `count` - 1. -#}
{%- macro series(count, name) -%}
{%- if sqlmetrics.dialect_table().series is none -%}
select number - 1 as {{ name }} from {{ sqlmetrics.numbers(count, 'number', 'counted') }}
{%- else -%}
{{ sqlmetrics.dialect_text('series', count, name) | replace('{last}', count - 1) }}
{%- endif -%}
{%- endmacro -%}

{#- Rounds a value to decimal places, if requested. A long value has lines of its own. -#}
{%- macro rounded(value, digits) -%}
{%- if digits is none -%}{{ return(value) }}{%- endif -%}
{{ sqlmetrics.dialect_text('rounded', '\n        ' ~ value ~ '\n    ' if value.split('\n')[-1] | length > 80 else value, digits) }}
{%- endmacro -%}

{#- A power of a base from 0 to 1, with 0⁰ = 1. Powers below exp(-700) are 0, since PostgreSQL rejects an underflow. -#}
{%- macro power_of_rank(base, exponent) -%}
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
