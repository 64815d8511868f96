{#- Neither NULL nor NaN: what a metric can compute with. -#}
{%- macro is_number(expression) -%}
{{ adapter.dispatch('is_number', 'sqlmetrics')(expression) }}
{%- endmacro -%}

{%- macro default__is_number(expression) -%}
{{ expression }} is not null
    and not isnan({{ expression }})
{%- endmacro -%}

{#- The statistics of a parquet file leave NaN out, unless DuckDB wrote it, and DuckDB 2.0 answers `isnan`, comparisons and
    `isfinite` from them: of a column whose other values are all equal, even `isfinite(x) or isinf(x)`. What it does not
    answer so is whether that `is true`. -#}
{%- macro duckdb__is_number(expression) -%}
(isfinite({{ expression }}) or isinf({{ expression }})) is true
{%- endmacro -%}

{%- macro postgres__is_number(expression) -%}
{{ expression }} is not null
    and {{ expression }} <> cast('NaN' as double precision)
{%- endmacro -%}

{%- macro snowflake__is_number(expression) -%}
{{ expression }} is not null
    and {{ expression }} <> cast('NaN' as double)
{%- endmacro -%}

{%- macro bigquery__is_number(expression) -%}
{{ expression }} is not null
    and not is_nan({{ expression }})
{%- endmacro -%}

{%- macro trino__is_number(expression) -%}
{{ expression }} is not null
    and not is_nan({{ expression }})
{%- endmacro -%}

{%- macro clickhouse__is_number(expression) -%}
{{ expression }} is not null
    and not isNaN({{ expression }})
{%- endmacro -%}

{#- Up to the largest double: every dialect reads the number, and not every one a type of two words. -#}
{%- macro is_finite(expression) -%}
abs({{ expression }}) <= 1.7976931348623157e308
{%- endmacro -%}

{#- The square of what is written in brackets or is one name. PostgreSQL calls it an error when a product is too small for a
    double, and not 0: as is the square of a probability of 1e-200. -#}
{%- macro square(expression) -%}
{{ adapter.dispatch('square', 'sqlmetrics')(expression) }}
{%- endmacro -%}

{%- macro default__square(expression) -%}
{{ expression }} * {{ expression }}
{%- endmacro -%}

{%- macro postgres__square(expression) -%}
case when abs({{ expression }}) < 1e-150 then 0 else {{ expression }} * {{ expression }} end
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
