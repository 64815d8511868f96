{#- What a statement needs at its end to mean the same as elsewhere. ClickHouse would fill the gaps of an outer join and
    the sum of nothing with 0, refuse NULL in a cast, and take a name for an expression of the same select. -#}
{%- macro statement_end() -%}
{{ adapter.dispatch('statement_end', 'sqlmetrics')() }}
{%- endmacro -%}

{%- macro default__statement_end() -%}
{%- endmacro -%}

{#- Whether two values are equal, NULL being equal to NULL. -#}
{%- macro same_value(value, other) -%}
{{ adapter.dispatch('same_value', 'sqlmetrics')(value, other) }}
{%- endmacro -%}

{%- macro default__same_value(value, other) -%}
{{ value }} is not distinct from {{ other }}
{%- endmacro -%}

{#- A union without equal rows. -#}
{%- macro union_distinct() -%}
{{ adapter.dispatch('union_distinct', 'sqlmetrics')() }}
{%- endmacro -%}

{%- macro default__union_distinct() -%}
union
{%- endmacro -%}

{#- How ordered windows over whole slices are written where the caller does not say: `rows` ranks every row, `distinct` first
    counts the rows at each score, `two_level` adds sums inside cells of the score to the sums of whole cells. -#}
{%- macro default_shape() -%}
{{ adapter.dispatch('default_shape', 'sqlmetrics')() }}
{%- endmacro -%}

{%- macro default__default_shape() -%}
rows
{%- endmacro -%}

{#- After `select`: a step of few rows that is joined to the whole log. Spark does not know yet how small it will be, and
    would send all rows to as many tasks as there are slices. -#}
{%- macro broadcast(step) -%}
{{ adapter.dispatch('broadcast', 'sqlmetrics')(step) }}
{%- endmacro -%}

{%- macro default__broadcast(step) -%}
{%- endmacro -%}

{#- A condition that ends the statement with an error of these words, an expression of text. Not every engine can. -#}
{%- macro raised(words) -%}
{{ adapter.dispatch('raised', 'sqlmetrics')(words) }}
{%- endmacro -%}

{%- macro default__raised(words) -%}
{%- do sqlmetrics.refuse('raised', 'in this dialect no statement ends with an error of its own') -%}
{%- endmacro -%}
