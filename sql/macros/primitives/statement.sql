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
