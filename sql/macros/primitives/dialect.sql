{#- The dialect as one table: names of types, texts with the holes {0} and {1} (and {last}, of a series), quotes and what the engine can do. A file of
    dialects/ replaces the entries that differ. The macros of primitives/ say what each entry is for. -#}
{%- macro dialect_table() -%}{{ return(adapter.dispatch('sqlmetrics_dialect_table', 'sqlmetrics')()) }}{%- endmacro -%}

{%- macro default__sqlmetrics_dialect_table() -%}
{{ return({
    'type_double': 'double',
    'type_text': 'varchar',
    'type_of_few_steps': 'integer',
    'to_tinyint': 'cast({0} as tinyint)',
    'truth_to_double': 'case when {0} then 1 else 0 end',
    'label_to_double': 'cast({0} as double)',
    'is_numeric_text': 'try_cast({0} as double) is not null',
    'joined_key': '{0}',
    'has_single_precision': true,
    'is_number': '{0} is not null\n    and not isnan({0})',
    'fails': 'not ({0})',
    'one_zero': '{0}',
    'square': '{0} * {0}',
    'product': '{0} * {1}',
    'rounded': 'round({0}, {1})',
    'series': 'select range as {1} from range({0})',
    'text_digest': 'md5({0})',
    'text_position': 'position({0} in {1})',
    'key_order': '{0} {1} nulls last',
    'same_value': '{0} is not distinct from {1}',
    'union_distinct': 'union',
    'partition_casts': {},
    'broadcast': '',
    'raised': none,
    'can_raise': true,
    'can_recurse': false,
    'default_shape': 'rows',
    'sorts_groups_by_hash': false,
    'guards_null_conditions': false,
    'orders_by_result': true,
    'folded_steps': none,
    'rereads_steps': false,
    'kept_apart': '',
    'not_folded': '',
    'that_slices_are_few': [],
    'settings': [],
    'quote': '"',
    'quote_escapes': {'"': '""'},
    'text_escapes': {"'": "''"},
    'prefix_of_backslashed_texts': none,
    'replaces_variables': false,
    'folds_to_upper_case': false,
    'reserved_words': sqlmetrics.common_reserved_words(),
}) }}
{%- endmacro -%}

{#- A text of the table with its holes filled. -#}
{%- macro dialect_text(entry, first, second='') -%}
{%- for part in sqlmetrics.dialect_table()[entry].split('{1}') -%}{{ second if not loop.first }}{{ part | replace('{0}', first) }}{%- endfor -%}
{%- endmacro -%}

{#- The words that DuckDB, PostgreSQL, Spark and ClickHouse do not take bare as a column; to these, `inf` and `nan` are numbers. -#}
{%- macro common_reserved_words() -%}
all analyse analyze and anti any array as asc asymmetric at authorization binary both by case cast check collate
collation column concurrently constraint create cross current_catalog current_date current_role current_schema
current_time current_timestamp current_user default deferrable desc describe distinct do else end except exists
false fetch filter final for foreign format freeze from full function glob grant group grouping having ilike in inf infinity initially
inner intersect interval into is isnull join lambda lateral leading left like limit localtime localtimestamp map minus
nan natural not notnull null offset on only or order outer overlaps pivot pivot_longer pivot_wider placing positional
primary qualify range references returning right row rows sample select semi session_user settings show similar some
struct summarize symmetric table tablesample then to top trailing true try_cast union unique unpivot user using
value values variadic verbose when where window with
{%- endmacro -%}
