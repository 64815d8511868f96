{#-
title: Snowflake
stand_in: fakesnow, which reads it and runs it on DuckDB
-#}

{%- macro snowflake__sqlmetrics_label_to_double(expression) -%}
{{ sqlmetrics.label_through_text(expression) }}
{%- endmacro -%}

{%- macro snowflake__sqlmetrics_text_literal(value) -%}
{{ sqlmetrics.backslashed_text(value) }}
{%- endmacro -%}

{%- macro snowflake__sqlmetrics_is_number(expression) -%}
{{ expression }} is not null
    and {{ expression }} <> cast('NaN' as double)
{%- endmacro -%}

{%- macro snowflake__sqlmetrics_series(count, name) -%}
select row_number() over (order by seq4() asc) - 1 as {{ name }} from table(generator(rowcount => {{ count }}))
{%- endmacro -%}

{#- No function ends a statement: the message is what cannot be read as a boolean. -#}
{%- macro snowflake__sqlmetrics_raised_condition(message) -%}
cast({{ message }} as boolean)
{%- endmacro -%}

{#- A word that is folded before it is quoted names the same column, so that quoting one too many is harmless: sqlglot, with which
    tools read Snowflake, does not take `map` bare. -#}
{%- macro snowflake__sqlmetrics_reserved_words() -%}
{{ sqlmetrics.default__sqlmetrics_reserved_words() }} {{ sqlmetrics.snowflake__words_of_the_vendor() }}
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

{%- macro snowflake__sqlmetrics_folded_name(name) -%}
{{ name.upper() }}
{%- endmacro -%}

{%- macro snowflake__sqlmetrics_single_precision(expression) -%}
{{ sqlmetrics.refuse_single_precision('Snowflake') }}
{%- endmacro -%}
