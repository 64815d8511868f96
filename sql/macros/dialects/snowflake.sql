{#-
title: Snowflake
stand_in: fakesnow, which reads it and runs it on DuckDB
-#}

{#- No function raises an error. sqlglot, which tools use to parse Snowflake, also reserves common words. -#}
{%- macro snowflake__sqlmetrics_dialect_table() -%}
{{ return(dict(
    sqlmetrics.default__sqlmetrics_dialect_table(),
    label_to_double=sqlmetrics.label_through_text('varchar', 'double'),
    has_single_precision=false,
    is_number="{0} is not null\n    and {0} <> cast('NaN' as double)",
    series='select row_number() over (order by seq4() asc) - 1 as {1} from table(generator(rowcount => {0}))',
    text_escapes={'\\': '\\\\', "'": "\\'"},
    folds_to_upper_case=true,
    reserved_words=sqlmetrics.common_reserved_words() ~ ' ' ~ sqlmetrics.snowflake__words_of_the_vendor(),
)) }}
{%- endmacro -%}

{#- https://docs.snowflake.com/en/sql-reference/reserved-keywords -#}
{%- macro snowflake__words_of_the_vendor() -%}
account all alter and any as between by case cast check column connect connection constraint create cross current
current_date current_time current_timestamp current_user database delete distinct drop else exists false following for from
full grant group gscluster having ilike in increment inner insert intersect into is issue join lateral left like localtime
localtimestamp minus natural not null of on or order organization qualify regexp revoke right rlike row rows sample schema
select set some start table tablesample then to trigger true try_cast union unique update using values view when whenever
where with
{%- endmacro -%}
