{#- What a statement needs at its end to mean the same as elsewhere. ClickHouse would fill the gaps of an outer join and
    the sum of nothing with 0, refuse NULL in a cast, and take a name for an expression of the same select. -#}
{%- macro statement_end() -%}
{{ adapter.dispatch('statement_end', 'sqlmetrics')() }}
{%- endmacro -%}

{%- macro default__statement_end() -%}
{%- endmacro -%}

{%- macro clickhouse__statement_end() -%}
{{ '\n' }}settings
    join_use_nulls = 1,
    aggregate_functions_null_for_empty = 1,
    cast_keep_nullable = 1,
    prefer_column_name_to_alias = 1
{%- endmacro -%}

{#- Whether two values are equal, NULL being equal to NULL. -#}
{%- macro same_value(value, other) -%}
{{ adapter.dispatch('same_value', 'sqlmetrics')(value, other) }}
{%- endmacro -%}

{%- macro default__same_value(value, other) -%}
{{ value }} is not distinct from {{ other }}
{%- endmacro -%}

{#- There a join on `is not distinct from` compares every row with every slice. Two arrays are equal when their elements are,
    NULL with NULL, and they have a hash. -#}
{%- macro postgres__same_value(value, other) -%}
array[{{ value }}] = array[{{ other }}]
{%- endmacro -%}

{%- macro redshift__same_value(value, other) -%}
({{ value }} = {{ other }} or ({{ value }} is null and {{ other }} is null))
{%- endmacro -%}

{#- A union without equal rows. -#}
{%- macro union_distinct() -%}
{{ adapter.dispatch('union_distinct', 'sqlmetrics')() }}
{%- endmacro -%}

{%- macro default__union_distinct() -%}
union
{%- endmacro -%}

{%- macro clickhouse__union_distinct() -%}
union distinct
{%- endmacro -%}

{%- macro bigquery__union_distinct() -%}
union distinct
{%- endmacro -%}

{#- How ordered windows over whole slices are written where the caller does not say: `rows` ranks every row, `distinct` first
    counts the rows at each score, `two_level` adds sums inside cells of the score to the sums of whole cells. -#}
{%- macro default_shape() -%}
{{ adapter.dispatch('default_shape', 'sqlmetrics')() }}
{%- endmacro -%}

{%- macro default__default_shape() -%}
rows
{%- endmacro -%}

{#- Redshift has no running sum that takes in the rows of equal order. -#}
{%- macro redshift__default_shape() -%}
distinct
{%- endmacro -%}

{#- Spark gives each partition of a window to one task, and a window without a partition to a single one. -#}
{%- macro spark__default_shape() -%}
two_level
{%- endmacro -%}

{#- After `select`: a step of few rows that is joined to the whole log. Spark does not know yet how small it will be, and
    would send all rows to as many tasks as there are slices. -#}
{%- macro broadcast(step) -%}
{{ adapter.dispatch('broadcast', 'sqlmetrics')(step) }}
{%- endmacro -%}

{%- macro default__broadcast(step) -%}
{%- endmacro -%}

{%- macro spark__broadcast(step) -%}
{{ ' /*+ broadcast(' ~ step ~ ') */' }}
{%- endmacro -%}
