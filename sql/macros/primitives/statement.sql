{#- What a statement needs at its end to mean the same as elsewhere. -#}
{%- macro statement_end() -%}
{%- set settings = sqlmetrics.dialect_table().settings -%}
{{ '\nsettings\n    ' ~ settings | join(',\n    ') if settings }}
{%- endmacro -%}

{#- Numbers by their size and texts by their bytes, whatever language the database sorts in. -#}
{%- macro key_order(expression, direction) -%}{{ sqlmetrics.dialect_text('key_order', expression, direction) }}{%- endmacro -%}

{#- Whether two values are equal, NULL being equal to NULL. -#}
{%- macro same_value(value, other) -%}{{ sqlmetrics.dialect_text('same_value', value, other) }}{%- endmacro -%}

{#- A union without equal rows. -#}
{%- macro union_distinct() -%}{{ sqlmetrics.dialect_table().union_distinct }}{%- endmacro -%}

{#- How ordered windows over whole slices are written where the caller does not say: `rows` ranks every row, `distinct` first
    counts the rows at each score, `two_level` adds sums inside cells of the score to the sums of whole cells; the runner takes
    `distinct` where a look at the scores says that they repeat. -#}
{%- macro default_shape() -%}{{ sqlmetrics.dialect_table().default_shape }}{%- endmacro -%}

{#- Whether groups that are texts are sorted faster by a hash of their names. -#}
{%- macro sorts_groups_by_hash() -%}{{ return(sqlmetrics.dialect_table().sorts_groups_by_hash) }}{%- endmacro -%}

{#- After `select`: a step of few rows that is joined to the whole log. Spark does not know yet how small it will be, and
    would send all rows to as many tasks as there are slices. -#}
{%- macro broadcast(step) -%}{{ sqlmetrics.dialect_text('broadcast', step) }}{%- endmacro -%}

{#- A value that ends the statement with a message, which must be made of some column: an engine works constants out beforehand.
    Where there is no function for it, the message is what cannot be read as a number, or, in a condition, as a boolean. -#}
{%- macro raised(message) -%}
{{ sqlmetrics.to_double(message) if sqlmetrics.dialect_table().raised is none else sqlmetrics.dialect_text('raised', message) }}
{%- endmacro -%}

{%- macro raised_condition(message) -%}
cast({{ message if sqlmetrics.dialect_table().raised is none else sqlmetrics.dialect_text('raised', message) }} as boolean)
{%- endmacro -%}

{#- Whether a statement can be ended so, and goes on where it is not. -#}
{%- macro can_raise() -%}{{ return(sqlmetrics.dialect_table().can_raise) }}{%- endmacro -%}

{#- Whether a step may read itself, with windows over what it has read. -#}
{%- macro can_recurse() -%}{{ return(sqlmetrics.dialect_table().can_recurse) }}{%- endmacro -%}

{#- What a row of constants is read from where a condition decides whether it is there: GoogleSQL takes no WHERE without FROM. -#}
{%- macro from_single_row() -%}from (select 1 as single) as single_row{%- endmacro -%}
