{#- The dialect as a table: types, templates with the holes {0} and {1} (and {last} in `series`), quotes, and features of the engine. A
    file of dialects/ replaces the entries that differ.

    type_of_few_steps, to_tinyint   small integers for counts and 0/1 columns: narrower rows sort faster.
    type_of_few_slices              a type that holds 1 to 255, if it sorts faster than an integer.
    label_to_double                 a label may be boolean, which PostgreSQL cannot cast to double.
    is_numeric_text                 whether a cast of a string to a number succeeds.
    joined_key                      a join key of two relations: ClickHouse cannot join integers with doubles.
    is_number                       neither NULL nor NaN.
    fails                           negates a condition that is true or false for every row.
    normalize_negative_zero         0 instead of -0 where the engine groups by bits: equal in ClickHouse, but two groups.
    square, product                 of names, or of expressions in brackets.
    series                          the integers from 0 to {last}, {0} rows, in the column {1}.
    text_digest                     32 lower-case digits: the only hash that all engines share.
    number_digest                   the same as a number of 128 bits with reversed bytes, if the engine cuts numbers faster than strings.
    text_position                   the first position of a string in another, from 1.
    key_order                       sorts numbers by size and strings by bytes, for any collation of the database.
    same_value                      equality, also of NULL and NULL.  union_distinct: a union without duplicate rows.
    partition_casts                 types for window partitions, for columns that cannot partition by their own type.
    broadcast                       after `select`: step {0} is small and is joined to the whole log. Spark does not know its size, and
                                    would shuffle all rows into as many tasks as there are slices.
    raised                          a value that ends the statement with an error.  can_raise: whether this is possible.
    can_recurse                     a recursive step may use windows over its earlier rows.
    default_shape                   `rows` ranks every row. `distinct` first counts the rows at each score. `two_level` adds sums inside
                                    cells of the score to the sums of whole cells.
    sorts_groups_by_hash            string groups sort faster by a hash of their names.
    guards_null_conditions          a user condition that handles NULL becomes a case expression.
    orders_by_result                a bare name in `order by` is a result column.
    folded_steps                    the steps with several readers that are inlined: 'all', the 'log', or none without such hints.
    rereads_steps                   each WITH is evaluated once per reader.
    optimization_fence, fence_if_read_once
                                    the end of a small query that must not be merged into its join. The latter is for columns with so
                                    many uses that inlining them is too expensive.
    that_slices_are_few             conditions that are always true, and make a planner hash the slices.
    settings                        give a statement the same meaning as in other engines. -#}
{%- macro dialect_table() -%}{{ return(adapter.dispatch('sqlmetrics_dialect_table', 'sqlmetrics')()) }}{%- endmacro -%}

{%- macro default__sqlmetrics_dialect_table() -%}
{{ return({
    'type_double': 'double',
    'type_text': 'varchar',
    'type_of_few_steps': 'integer',
    'type_of_few_slices': 'integer',
    'to_tinyint': 'cast({0} as tinyint)',
    'boolean_to_double': 'case when {0} then 1 else 0 end',
    'label_to_double': 'cast({0} as double)',
    'is_numeric_text': 'try_cast({0} as double) is not null',
    'joined_key': '{0}',
    'has_single_precision': true,
    'is_number': '{0} is not null\n    and not isnan({0})',
    'fails': 'not ({0})',
    'normalize_negative_zero': '{0}',
    'square': '{0} * {0}',
    'product': '{0} * {1}',
    'rounded': 'round({0}, {1})',
    'series': 'select range as {1} from range({0})',
    'text_digest': 'md5({0})',
    'number_digest': none,
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
    'optimization_fence': '',
    'fence_if_read_once': '',
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

{#- Fills the holes of a template. -#}
{%- macro dialect_text(entry, first, second='') -%}
{%- for part in sqlmetrics.dialect_table()[entry].split('{1}') -%}{{ second if not loop.first }}{{ part | replace('{0}', first) }}{%- endfor -%}
{%- endmacro -%}

{%- macro to_tinyint(expression) -%}{{ sqlmetrics.dialect_text('to_tinyint', expression) }}{%- endmacro -%}
{%- macro label_to_double(expression) -%}{{ sqlmetrics.dialect_text('label_to_double', expression) }}{%- endmacro -%}
{%- macro is_number(expression) -%}{{ sqlmetrics.dialect_text('is_number', expression) }}{%- endmacro -%}
{%- macro fails(condition) -%}{{ sqlmetrics.dialect_text('fails', condition) }}{%- endmacro -%}
{%- macro normalize_negative_zero(expression) -%}{{ sqlmetrics.dialect_text('normalize_negative_zero', expression) }}{%- endmacro -%}
{%- macro square(expression) -%}{{ sqlmetrics.dialect_text('square', expression) }}{%- endmacro -%}
{%- macro text_digest(text) -%}{{ sqlmetrics.dialect_text('text_digest', text) }}{%- endmacro -%}
{%- macro broadcast(step) -%}{{ sqlmetrics.dialect_text('broadcast', step) }}{%- endmacro -%}
{%- macro product(expression, other) -%}{{ sqlmetrics.dialect_text('product', expression, other) }}{%- endmacro -%}
{%- macro key_order(expression, direction) -%}{{ sqlmetrics.dialect_text('key_order', expression, direction) }}{%- endmacro -%}
{%- macro same_value(value, other) -%}{{ sqlmetrics.dialect_text('same_value', value, other) }}{%- endmacro -%}
{%- macro type_double() -%}{{ sqlmetrics.dialect_table().type_double }}{%- endmacro -%}
{%- macro type_text() -%}{{ sqlmetrics.dialect_table().type_text }}{%- endmacro -%}
{%- macro reserved_words() -%}{{ sqlmetrics.dialect_table().reserved_words }}{%- endmacro -%}
{%- macro union_distinct() -%}{{ sqlmetrics.dialect_table().union_distinct }}{%- endmacro -%}
{%- macro default_shape() -%}{{ sqlmetrics.dialect_table().default_shape }}{%- endmacro -%}
{%- macro sorts_groups_by_hash() -%}{{ return(sqlmetrics.dialect_table().sorts_groups_by_hash) }}{%- endmacro -%}
{%- macro can_recurse() -%}{{ return(sqlmetrics.dialect_table().can_recurse) }}{%- endmacro -%}

{#- Words that DuckDB, PostgreSQL, Spark and ClickHouse reject as unquoted columns; `inf` and `nan` are numbers there. -#}
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
