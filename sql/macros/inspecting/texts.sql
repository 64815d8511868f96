{#- The first value of a text column that is not a number, if its rows have an order. Without the case expression, DuckDB 2 reads a CSV
    column as numbers, and fails at the first text that is not one. -#}
{%- macro first_non_numeric_text(relation, text) -%}
{%- set texts -%}
select case when {{ text }} is not null then {{ text }} end as value
from {{ relation.relation }}
where {{ text }} is not null
{%- endset -%}
{%- set select = 'select value\nfrom texts\nwhere not (' ~ sqlmetrics.dialect_text('is_numeric_text', 'value') ~ ')\nlimit 1' -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(sqlmetrics.input_step(relation, false) + [sqlmetrics.step('texts', texts, 'values of the column')], select)) }}
{%- endmacro -%}
