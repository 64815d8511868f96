{#-
title: BigQuery
stand_in: the reference evaluator of GoogleSQL, whose analyzer is that of BigQuery
-#}

{%- macro bigquery__sqlmetrics_type_double() -%}
float64
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_type_text() -%}
string
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_label_to_double(expression) -%}
{{ sqlmetrics.label_through_text(expression) }}
{%- endmacro -%}

{#- GoogleSQL does not partition by FLOAT64. These columns of ours hold whole numbers; a score, and what the user names by, may be
    of any type. -#}
{%- macro bigquery__sqlmetrics_partition_keys(keys) -%}
{%- set casts = {} -%}
{%- for key in ['block', 'bucket_left_out', 'cell', 'pair', 'size', 'width'] -%}
{%- do casts.update({key: 'cast(' ~ key ~ ' as int64)'}) -%}
{%- endfor -%}
{%- for key in ['score', 'group_id', 'item_id', 'field_id', 'cluster_id', 'subtopic_id'] -%}
{%- do casts.update({key: 'cast(' ~ key ~ ' as string)'}) -%}
{%- endfor -%}
{%- set items = [] -%}
{%- for key in keys -%}{%- do items.append(casts.get(key, key)) -%}{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{#- A text in quotes ends with its line. -#}
{%- macro bigquery__escaped(text) -%}
{{ text | replace('\\', '\\\\') | replace('\n', '\\n') | replace('\r', '\\r') }}
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_quoted_identifier(name) -%}
`{{ sqlmetrics.bigquery__escaped(name) | replace('`', '\\`') }}`
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_text_literal(value) -%}
'{{ sqlmetrics.bigquery__escaped(value) | replace("'", "\\'") }}'
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_is_numeric_text(text) -%}
safe_cast({{ text }} as float64) is not null
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_is_number(expression) -%}
{{ expression }} is not null
    and not is_nan({{ expression }})
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_series(count, name) -%}
select {{ name }} from unnest(generate_array(0, {{ count - 1 }})) as {{ name }}
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_union_distinct() -%}
union distinct
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_text_digest(text) -%}
to_hex(md5({{ text }}))
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_text_position(text, whole) -%}
strpos({{ whole }}, {{ text }})
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_raised(message) -%}
error({{ message }})
{%- endmacro -%}

{#- https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#reserved_keywords -#}
{%- macro bigquery__sqlmetrics_reserved_words() -%}
all and any array as asc assert_rows_modified at between by case cast collate contains create cross cube current default
define desc distinct else end enum escape except exclude exists extract false fetch following for from full group grouping
groups hash having if ignore in inner intersect interval into is join lateral left like limit lookup merge natural new no
not null nulls of on or order outer over partition preceding proto qualify range recursive respect right rollup rows select
set some struct tablesample then to treat true unbounded union unnest using when where window with within
{%- endmacro -%}

{#- A LEFT JOIN takes equalities alone, and `is not distinct from` is none. -#}
{%- macro bigquery__sqlmetrics_same_value(value, other) -%}
{{ sqlmetrics.bigquery__text_or_none(value) }} = {{ sqlmetrics.bigquery__text_or_none(other) }}
{%- endmacro -%}

{#- A text for each value, and the empty text for NULL. -#}
{%- macro bigquery__text_or_none(value) -%}
coalesce(concat('=', cast({{ value }} as string)), '')
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_single_precision(expression) -%}
{{ sqlmetrics.refuse_single_precision('BigQuery') }}
{%- endmacro -%}
