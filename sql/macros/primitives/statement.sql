{#- What a statement needs at its end to mean the same as elsewhere. ClickHouse would fill the gaps of an outer join and
    the sum of nothing with 0, refuse NULL in a cast, and take a name for an expression of the same select; and a session may
    ask it for any one row of a join, or for none of what is added up over no rows. -#}
{%- macro statement_end() -%}
{{ adapter.dispatch('sqlmetrics_statement_end', 'sqlmetrics')() }}
{%- endmacro -%}

{%- macro default__sqlmetrics_statement_end() -%}
{%- endmacro -%}

{#- Numbers by their size and texts by their bytes, whatever language the database sorts in. -#}
{%- macro key_order(expression, direction) -%}
{{ return(adapter.dispatch('sqlmetrics_key_order', 'sqlmetrics')(expression, direction)) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_key_order(expression, direction) -%}
{{ return(expression ~ ' ' ~ direction ~ ' nulls last') }}
{%- endmacro -%}

{#- Whether two values are equal, NULL being equal to NULL. -#}
{%- macro same_value(value, other) -%}
{{ adapter.dispatch('sqlmetrics_same_value', 'sqlmetrics')(value, other) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_same_value(value, other) -%}
{{ value }} is not distinct from {{ other }}
{%- endmacro -%}

{#- A union without equal rows. -#}
{%- macro union_distinct() -%}
{{ adapter.dispatch('sqlmetrics_union_distinct', 'sqlmetrics')() }}
{%- endmacro -%}

{%- macro default__sqlmetrics_union_distinct() -%}
union
{%- endmacro -%}

{#- How ordered windows over whole slices are written where the caller does not say: `rows` ranks every row, `distinct` first
    counts the rows at each score, `two_level` adds sums inside cells of the score to the sums of whole cells; the runner takes
    `distinct` where a look at the scores says that they repeat. -#}
{%- macro default_shape() -%}
{{ adapter.dispatch('sqlmetrics_default_shape', 'sqlmetrics')() }}
{%- endmacro -%}

{%- macro default__sqlmetrics_default_shape() -%}
rows
{%- endmacro -%}

{#- Whether groups that are texts are sorted faster by a hash of their names. -#}
{%- macro sorts_groups_by_hash() -%}
{{ return(adapter.dispatch('sqlmetrics_sorts_groups_by_hash', 'sqlmetrics')()) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_sorts_groups_by_hash() -%}
{{ return(false) }}
{%- endmacro -%}

{#- After `select`: a step of few rows that is joined to the whole log. Spark does not know yet how small it will be, and
    would send all rows to as many tasks as there are slices. -#}
{%- macro broadcast(step) -%}
{{ adapter.dispatch('sqlmetrics_broadcast', 'sqlmetrics')(step) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_broadcast(step) -%}
{%- endmacro -%}

{#- A value that ends the statement with a message, which must be made of some column: an engine works constants out beforehand.
    Where there is no function for it, the message is what cannot be read as a number. -#}
{%- macro raised(message) -%}
{{ adapter.dispatch('sqlmetrics_raised', 'sqlmetrics')(message) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_raised(message) -%}
{{ sqlmetrics.to_double(message) }}
{%- endmacro -%}

{#- Whether a statement can be ended so, and goes on where it is not. -#}
{%- macro can_raise() -%}
{{ return(adapter.dispatch('sqlmetrics_can_raise', 'sqlmetrics')()) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_can_raise() -%}
{{ return(true) }}
{%- endmacro -%}

{#- The same where a condition stands. -#}
{%- macro raised_condition(message) -%}
{{ adapter.dispatch('sqlmetrics_raised_condition', 'sqlmetrics')(message) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_raised_condition(message) -%}
cast({{ sqlmetrics.raised(message) }} as boolean)
{%- endmacro -%}

{#- Whether a step may read itself, with windows over what it has read. -#}
{%- macro can_recurse() -%}
{{ return(adapter.dispatch('sqlmetrics_can_recurse', 'sqlmetrics')()) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_can_recurse() -%}
{{ return(false) }}
{%- endmacro -%}

{#- What a row of constants is read from where a condition decides whether it is there: GoogleSQL takes no WHERE without FROM. -#}
{%- macro from_single_row() -%}
from (select 1 as single) as single_row
{%- endmacro -%}
