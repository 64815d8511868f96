{#- Formats of a text column: an example of each, where all digits count as the same, and whether it is a number. -#}
{%- macro written_forms(relation, text, most) -%}
{%- set written_forms -%}
select
    min(value) as example,
    max(case when {{ sqlmetrics.is_numeric_text('value') }} then 1 else 0 end) as is_numeric
from texts
group by
    translate(value, '012345678', '999999999')
order by
    example asc
limit {{ most }}
{%- endset -%}
{{ sqlmetrics.read_from_texts(relation, text, written_forms) }}
{%- endmacro -%}

{#- The first value of a text column that is not a number, if its rows have an order. -#}
{%- macro first_non_numeric_text(relation, text) -%}
{{ sqlmetrics.read_from_texts(relation, text, 'select value\nfrom texts\nwhere not (' ~ sqlmetrics.is_numeric_text('value') ~ ')\nlimit 1') }}
{%- endmacro -%}

{#- Without the case expression, DuckDB 2 reads a CSV column as numbers, and fails at the first text that is not one. -#}
{%- macro read_from_texts(relation, text, select) -%}
{%- set texts -%}
select case when {{ text }} is not null then {{ text }} end as value
from {{ relation.relation }}
where {{ text }} is not null
{%- endset -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(sqlmetrics.input_step(relation, false) + [sqlmetrics.step('texts', texts, 'values of the column')], select)) }}
{%- endmacro -%}
