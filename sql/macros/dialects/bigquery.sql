{#-
title: BigQuery
stand_in: the reference evaluator of GoogleSQL, whose analyzer is that of BigQuery
-#}

{#- Unusual entries:

    partition_casts  GoogleSQL does not partition by FLOAT64. Some columns are integers; scores and the user's keys may have any type.
    text_escapes     a string literal ends with its line.
    same_value       LEFT JOIN supports equalities only, not `is not distinct from`: strings of the values, empty for NULL.
    reserved_words   https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#reserved_keywords -#}
{%- macro bigquery__sqlmetrics_dialect_table() -%}
{{ return(dict(
    sqlmetrics.default__sqlmetrics_dialect_table(),
    type_double='float64',
    type_text='string',
    label_to_double=sqlmetrics.label_through_text('string', 'float64'),
    is_numeric_text='safe_cast({0} as float64) is not null',
    has_single_precision=false,
    is_number='{0} is not null\n    and not is_nan({0})',
    series='select {1} from unnest(generate_array(0, {last})) as {1}',
    text_digest='to_hex(md5({0}))',
    text_position='strpos({1}, {0})',
    same_value="coalesce(concat('=', cast({0} as string)), '') = coalesce(concat('=', cast({1} as string)), '')",
    union_distinct='union distinct',
    partition_casts={
        'block': 'int64', 'bucket_left_out': 'int64', 'cell': 'int64', 'pair': 'int64', 'size': 'int64', 'width': 'int64', 'score': 'string',
        'group_id': 'string', 'item_id': 'string', 'field_id': 'string', 'cluster_id': 'string', 'subtopic_id': 'string',
    },
    raised='error({0})',
    quote='`',
    quote_escapes={'\\': '\\\\', '\n': '\\n', '\r': '\\r', '`': '\\`'},
    text_escapes={'\\': '\\\\', '\n': '\\n', '\r': '\\r', "'": "\\'"},
    reserved_words='
all and any array as asc assert_rows_modified at between by case cast collate contains create cross cube current default
define desc distinct else end enum escape except exclude exists extract false fetch following for from full group grouping
groups hash having if ignore in inner intersect interval into is join lateral left like limit lookup merge natural new no
not null nulls of on or order outer over partition preceding proto qualify range recursive respect right rollup rows select
set some struct tablesample then to treat true unbounded union unnest using when where window with within',
)) }}
{%- endmacro -%}
