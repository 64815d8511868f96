{#-
title: ClickHouse
tested: true
-#}

{#- Here a backslash takes the next character with it, inside a name too. -#}
{%- macro clickhouse__quoted_identifier(name) -%}
"{{ sqlmetrics.keep_line_breaks(name | replace('\\', '\\\\') | replace('"', '\\"')) }}"
{%- endmacro -%}

{%- macro clickhouse__text_literal(value) -%}
{{ sqlmetrics.backslashed_text(value) }}
{%- endmacro -%}

{%- macro clickhouse__is_number(expression) -%}
{{ expression }} is not null
    and not isNaN({{ expression }})
{%- endmacro -%}

{%- macro clickhouse__one_zero(expression) -%}
{{ expression }} + 0
{%- endmacro -%}

{#- By the last of the settings below. -#}
{%- macro clickhouse__names_in_order(shown, keys) -%}
{{ return(keys) }}
{%- endmacro -%}

{%- macro clickhouse__series(count, name) -%}
select number as {{ name }} from numbers({{ count }})
{%- endmacro -%}

{%- macro clickhouse__statement_end() -%}
{{ '\n' }}settings
    join_use_nulls = 1,
    aggregate_functions_null_for_empty = 1,
    cast_keep_nullable = 1,
    prefer_column_name_to_alias = 1
{%- endmacro -%}

{%- macro clickhouse__union_distinct() -%}
union distinct
{%- endmacro -%}

{%- macro clickhouse__text_digest(text) -%}
lower(hex(MD5({{ text }})))
{%- endmacro -%}
