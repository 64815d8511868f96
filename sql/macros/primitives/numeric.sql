{%- macro is_nan(expression) -%}
{{ adapter.dispatch('is_nan', 'sqlmetrics')(expression) }}
{%- endmacro -%}

{%- macro default__is_nan(expression) -%}
isnan({{ expression }})
{%- endmacro -%}

{%- macro postgres__is_nan(expression) -%}
{{ expression }} = cast('NaN' as double precision)
{%- endmacro -%}

{%- macro snowflake__is_nan(expression) -%}
{{ expression }} = cast('NaN' as double)
{%- endmacro -%}

{%- macro bigquery__is_nan(expression) -%}
is_nan({{ expression }})
{%- endmacro -%}

{%- macro trino__is_nan(expression) -%}
is_nan({{ expression }})
{%- endmacro -%}

{%- macro clickhouse__is_nan(expression) -%}
isNaN({{ expression }})
{%- endmacro -%}

{#- Written as a quotient because log(2, x), log2(x) and log(x) mean different things from engine to engine. -#}
{%- macro log2(expression) -%}
ln({{ expression }}) / ln(2)
{%- endmacro -%}

{#- The whole numbers from 0, `count` of them, as a query. -#}
{%- macro series(count, name) -%}
{{ adapter.dispatch('series', 'sqlmetrics')(count, name) }}
{%- endmacro -%}

{%- macro default__series(count, name) -%}
select range as {{ name }} from range({{ count }})
{%- endmacro -%}

{%- macro postgres__series(count, name) -%}
select {{ name }} from generate_series(0, {{ count - 1 }}) as {{ name }}
{%- endmacro -%}

{%- macro spark__series(count, name) -%}
select id as {{ name }} from range({{ count }})
{%- endmacro -%}

{%- macro clickhouse__series(count, name) -%}
select number as {{ name }} from numbers({{ count }})
{%- endmacro -%}

{%- macro trino__series(count, name) -%}
select {{ name }} from unnest(sequence(0, {{ count - 1 }})) as numbers({{ name }})
{%- endmacro -%}

{%- macro bigquery__series(count, name) -%}
select {{ name }} from unnest(generate_array(0, {{ count - 1 }})) as {{ name }}
{%- endmacro -%}

{%- macro snowflake__series(count, name) -%}
select row_number() over (order by seq4()) - 1 as {{ name }} from table(generator(rowcount => {{ count }}))
{%- endmacro -%}

{#- Redshift has generate_series on its leader node only, where no table can be joined to it. -#}
{%- macro redshift__series(count, name) -%}
select number - 1 as {{ name }} from (
    {{ sqlmetrics.indented(sqlmetrics.numbers(count, 'number')) }}
) as counted
{%- endmacro -%}
