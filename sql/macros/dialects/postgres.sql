{#-
title: PostgreSQL
tested: true
-#}

{#- Unusual entries:

    label_to_double      the text of a `real` has fewer digits, and only a cast to `real` restores its value.
    square, product      an underflow is an error, not 0, as in the square of a probability of 1e-200.
    rounded              a double can be rounded to integers only.
    key_order            strings sort by bytes, as in other engines, since a server may use a collation. For other types, equal values
                         may have two texts (0 and -0, 1.0 and 1.00).
    same_value           a join on `is not distinct from` compares every row with every slice. Two arrays are equal if their elements are,
                         including NULL, and they can be hashed. With a second equality the planner would think hashing expensive.
    that_slices_are_few  the planner expects a tenth as many slices as rows, and sorts all rows on disk for a merge join. For a range of
                         numbers it expects one in two hundred of them.
    folded_steps         a step with two readers is materialized, and sorted instead of counted in a hash table. Only the log is faster to
                         read again: with all steps inlined, five groupings of six metrics took twelve times as long.
    fence_if_read_once   a step with one reader is inlined, and its columns are expanded at every use. A few steps with polynomials became
                         three million letters that took minutes to compile.
    prefix_of_…          the meaning of a backslash between plain quotes is a server setting. -#}
{%- macro postgres__sqlmetrics_dialect_table() -%}
{%- set is_text = "pg_typeof({0})::text ~ '^(text|name|character[a-z ]*)$'" -%}
{{ return(dict(
    sqlmetrics.default__sqlmetrics_dialect_table(),
    type_double='double precision',
    type_text='text',
    to_tinyint='cast({0} as smallint)',
    label_to_double="case\n    when pg_typeof({0}) = 'real'::regtype then cast(cast(cast({0} as text) as real) as double precision)\n    else "
        ~ sqlmetrics.label_through_text('text', 'double precision') ~ '\nend',
    is_numeric_text="{0} ~* '^\\s*([-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?|nan|[-+]?inf(inity)?)\\s*$'",
    is_number="{0} is not null\n    and {0} <> cast('NaN' as double precision)",
    square='case when abs({0}) < 1e-150 then 0\n            else {0} * {0} end',
    product='case when abs({0}) < 1e-150\n            or abs({1}) < 1e-150 then 0\n            else {0} * {1} end',
    rounded='cast(round(({0})::numeric, {1}) as double precision)',
    series='select {1} from generate_series(0, {last}) as {1}',
    key_order='case when ' ~ is_text ~ ' then null else {0} end {1} nulls last,\n            case when ' ~ is_text
        ~ '\n                then cast({0} as text) end collate "C" {1} nulls last',
    same_value='(array[{0}] = array[{1}] and ({0} is null) is not distinct from ({1} is null))',
    can_recurse=true,
    folded_steps='log',
    fence_if_read_once='\noffset 0',
    that_slices_are_few=['slices.slice_id between 1 and 1000000000'],
    prefix_of_backslashed_texts='E',
)) }}
{%- endmacro -%}
