{#-
title: gini orders
rows: one per order (1 by score, 2 by label) and distinct value in it
counts: 'sum(case when ordering = 1 then row_count else 0 end)'
columns: ordering, weight, label_sum (weighted), weight_below, weight_of_all, row_count
-#}

{#- Both orders in one pass: each row twice, by its score and by its label. -#}
{%- macro gini_orders(f, rows_from, keys) -%}
{%- set distinct = 'ordered_values' ~ f.suffix -%}
{%- set own = ['ordering', 'ordered_value'] -%}
{%- set ordered_values -%}
select
    {{ sqlmetrics.lines(keys + own + [
        'sum(weight) as weight',
        'sum(weight * label) as label_sum',
        'count(*) as row_count',
    ]) }}
from (
    select
        {{ (keys + ['ordering', 'case ordering when 1 then score else label end as ordered_value', 'label', 'weight']) | join(',\n        ') }}
    from {{ rows_from }}
    cross join (
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.numbers(2, 'ordering'))) }}
    ) as orders
    {{- f.where | indent(4) }}
) as rows_in_orders
{{- sqlmetrics.group_by(keys + own) }}
{%- endset -%}
{%- set sums = [
    {'measure': 'weight', 'reach': 'before', 'as': 'weight_below'},
    {'measure': 'weight', 'reach': 'all', 'as': 'weight_of_all'},
] -%}
{{ return(
    [sqlmetrics.step(distinct, ordered_values, 'one per distinct score, and per distinct label', [rows_from])]
    + sqlmetrics.running_sums(f, distinct, keys + ['ordering'], 'ordered_value', '', ['ordered_value', 'weight', 'label_sum', 'row_count'], {'weight': 'weight'}, sums)
) }}
{%- endmacro -%}
