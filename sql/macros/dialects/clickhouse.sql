{#-
title: ClickHouse
tested: true
-#}

{#- The settings give a statement the same meaning as in other engines. By default, missing values of an outer join and empty sums are
    0, a cast rejects NULL, and a name may be an alias of the same select. A session or profile with a limit, or an overflow mode of
    `any` or `break`, silently drops rows beyond it. `skip_unavailable_shards` drops rows of a shard, and `extremes` adds rows. -#}
{%- macro clickhouse__sqlmetrics_dialect_table() -%}
{{ return(dict(
    sqlmetrics.default__sqlmetrics_dialect_table(),
    is_numeric_text='toFloat64OrNull({0}) is not null',
    joined_key='toString({0})',
    is_number='{0} is not null\n    and not isNaN({0})',
    normalize_negative_zero='{0} + 0',
    series='select number as {1} from numbers({0})',
    text_digest='lower(hex(MD5({0})))',
    union_distinct='union distinct',
    can_raise=false,
    can_recurse=true,
    orders_by_result=false,
    quote_escapes={'\\': '\\\\', '"': '\\"'},
    text_escapes={'\\': '\\\\', "'": "\\'"},
    settings=[
        'join_use_nulls = 1',
        "join_default_strictness = 'ALL'",
        'aggregate_functions_null_for_empty = 1',
        'empty_result_for_aggregation_by_empty_set = 0',
        'cast_keep_nullable = 1',
        "count_distinct_implementation = 'uniqExact'",
        'extremes = 0',
        'limit = 0',
        'offset = 0',
        'skip_unavailable_shards = 0',
        "read_overflow_mode = 'throw'", "group_by_overflow_mode = 'throw'", "distinct_overflow_mode = 'throw'",
        "set_overflow_mode = 'throw'", "join_overflow_mode = 'throw'", "sort_overflow_mode = 'throw'",
        "transfer_overflow_mode = 'throw'", "result_overflow_mode = 'throw'", "timeout_overflow_mode = 'throw'",
        'prefer_column_name_to_alias = 1',
    ],
)) }}
{%- endmacro -%}

{#- In ClickHouse a message is constant, and all branches of conditions and cases are evaluated. -#}
{%- macro clickhouse__sqlmetrics_used_or_refused(q, required) -%}
{%- set present = [sqlmetrics.is_present(required, q.whole_columns)] if required else [] -%}
{{ '1 = 1' if not required and not q.problems }}{{ present | join }}
{%- for rule in q.problems -%}
{{ '\n    and ' if required or not loop.first }}throwIf(coalesce(
        {{ sqlmetrics.indented(sqlmetrics.is_present(sqlmetrics.distinct(required + [rule.column]), q.whole_columns)) }}
        and {{ sqlmetrics.fails(sqlmetrics.keeps(rule)) }},
        false
    ), {{ sqlmetrics.text_literal(sqlmetrics.column_roles().get(rule.column, rule.column) ~ ': a value ' ~ rule.message) }}) = 0
{%- endfor -%}
{%- endmacro -%}
