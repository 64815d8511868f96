{#-
title: ClickHouse
tested: true
-#}

{#- Here a backslash takes the next character with it, inside a name too. -#}
{%- macro clickhouse__sqlmetrics_quoted_identifier(name) -%}
"{{ sqlmetrics.keep_line_breaks(name | replace('\\', '\\\\') | replace('"', '\\"')) }}"
{%- endmacro -%}

{%- macro clickhouse__sqlmetrics_text_literal(value) -%}
{{ sqlmetrics.backslashed_text(value) }}
{%- endmacro -%}

{%- macro clickhouse__sqlmetrics_is_numeric_text(text) -%}
toFloat64OrNull({{ text }}) is not null
{%- endmacro -%}

{%- macro clickhouse__sqlmetrics_is_number(expression) -%}
{{ expression }} is not null
    and not isNaN({{ expression }})
{%- endmacro -%}

{%- macro clickhouse__sqlmetrics_one_zero(expression) -%}
{{ expression }} + 0
{%- endmacro -%}

{#- By the last of the settings below. -#}
{%- macro clickhouse__sqlmetrics_names_in_order(shown, keys) -%}
{{ return(keys) }}
{%- endmacro -%}

{%- macro clickhouse__sqlmetrics_series(count, name) -%}
select number as {{ name }} from numbers({{ count }})
{%- endmacro -%}

{%- macro clickhouse__sqlmetrics_joined_key(expression) -%}
toString({{ expression }})
{%- endmacro -%}

{#- Where a session or a profile sets an overflow mode to `any` or `break`, or a limit, what is beyond it is left out without a
    word; `skip_unavailable_shards` leaves out what a shard holds, and `extremes` adds rows. -#}
{%- macro clickhouse__sqlmetrics_statement_end() -%}
{{ '\n' }}settings
    join_use_nulls = 1,
    join_default_strictness = 'ALL',
    aggregate_functions_null_for_empty = 1,
    empty_result_for_aggregation_by_empty_set = 0,
    cast_keep_nullable = 1,
    count_distinct_implementation = 'uniqExact',
    extremes = 0,
    limit = 0,
    offset = 0,
    skip_unavailable_shards = 0,
{%- for limited in ['read', 'group_by', 'distinct', 'set', 'join', 'sort', 'transfer', 'result', 'timeout'] %}
    {{ limited }}_overflow_mode = 'throw',
{%- endfor %}
    prefer_column_name_to_alias = 1
{%- endmacro -%}

{%- macro clickhouse__sqlmetrics_union_distinct() -%}
union distinct
{%- endmacro -%}

{%- macro clickhouse__sqlmetrics_text_digest(text) -%}
lower(hex(MD5({{ text }})))
{%- endmacro -%}

{#- It works out the branches of a case that do not hold too. -#}
{#- A message is a constant here, and each side of a condition is worked out. -#}
{%- macro clickhouse__sqlmetrics_used_or_refused(q, required) -%}
{%- set conditions = [] -%}
{%- if required -%}{%- do conditions.append(sqlmetrics.is_given(required, q.whole_columns)) -%}{%- endif -%}
{%- for rule in q.problems -%}
{%- set broken = sqlmetrics.is_given(required + [rule.column], q.whole_columns) | replace('\n    ', ' ') ~ ' and ' ~ sqlmetrics.fails(sqlmetrics.keeps(rule)) -%}
{%- set role = sqlmetrics.column_roles().get(rule.column, rule.column) -%}
{%- do conditions.append('throwIf(coalesce(' ~ broken ~ ', false), ' ~ sqlmetrics.text_literal(role ~ ': a value ' ~ rule.words) ~ ') = 0') -%}
{%- endfor -%}
{{ conditions | join('\n    and ') if conditions else '1 = 1' }}
{%- endmacro -%}

{%- macro clickhouse__sqlmetrics_can_raise() -%}
{{ return(false) }}
{%- endmacro -%}

{%- macro clickhouse__sqlmetrics_can_recurse() -%}
{{ return(true) }}
{%- endmacro -%}
