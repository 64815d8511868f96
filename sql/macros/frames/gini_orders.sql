{#-
title: gini orders
rows: one per order (1 by score, 2 by label) and distinct value in it
stateless: it orders all rows by score and by label
counts: 'sum(case when ordering = 1 then row_count else 0 end)'
columns: ordering, weight, label_sum (weighted), weight_below, weight_of_all, row_count
-#}

{#- Both orders in one pass: each row twice, by its score and by its label. Labels count from the lowest: the coefficient is the same,
    and large labels that hardly differ keep their digits. -#}
{%- macro gini_orders(f, rows_from, keys) -%}
{%- set lowest = 'lowest_labels' ~ f.suffix -%}
{%- set distinct = 'ordered_values' ~ f.suffix -%}
{%- set same = sqlmetrics.same_keys('labelled', lowest, keys) -%}
{%- set carried = ['ordered_value', 'weight', 'label_sum', 'row_count'] -%}
{%- set sums = [{'measure': 'weight', 'reach': 'before', 'as': 'weight_below'}, {'measure': 'weight', 'reach': 'all', 'as': 'weight_of_all'}] -%}
{{ sqlmetrics.cte(lowest, 'from where labels count') }}
select
    {{- sqlmetrics.leading(keys) }}
    min(case when weight > 0 then label end) as lowest_label
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys) }}
{{ sqlmetrics.cte(distinct, 'one per distinct score, and per distinct label') }}
select
    {{- sqlmetrics.leading(keys + ['ordering', 'ordered_value']) }}
    sum(weight) as weight,
    sum(weight * label_above_lowest) as label_sum,
    count(*) as row_count
from (
    select{{ sqlmetrics.broadcast(lowest) }}
        {{- sqlmetrics.leading(keys, 'labelled', depth=2) }}
        ordering,
        case ordering when 1 then score else label end as ordered_value,
        label - lowest_label as label_above_lowest,
        weight
    from {{ rows_from }} as labelled
    {{ 'inner' if keys else 'cross' }} join {{ lowest }}
    {{- '\n        on ' ~ same | join('\n        and ') if same }}
    cross join (
        {{ sqlmetrics.numbers(2, 'ordering') | indent(8) }}
    ) as orders
    {{- f.where | indent(4) }}
) as rows_in_orders
{{- sqlmetrics.group_by(keys + ['ordering', 'ordered_value']) }}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(f, distinct, keys + ['ordering'], 'ordered_value', ' asc', carried, {'weight': 'weight'}, sums)) }}
{%- endmacro -%}
