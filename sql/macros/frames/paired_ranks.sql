{#-
title: paired ranks
rows: one per distinct label
stateless: it orders all rows by score and by label
columns: label_rank (the middle of the places that the rows of this label have among all, as a share of all, from the middle of all), weight, score_rank_sum and score_rank_squares (the same by the score, over the rows of the label, weighted), row_count
-#}

{#- Rows of equal values share their places. Each row is there twice, by its label and by its score, so that one pass orders both.
    What a label needs is added up before it is joined to the place of the label: there may be two labels only. -#}
{%- macro paired_ranks(f, rows_from, keys) -%}
{%- set pairs = 'value_pairs' ~ f.suffix -%}
{%- set distinct = 'values_in_orders' ~ f.suffix -%}
{%- set placed = dict(f, cte='places_of_values' ~ f.suffix, rows='these, with what lies below') -%}
{%- set carried = ['ordered_value', 'weight', 'row_count'] -%}
{%- set sums = [{'measure': 'weight', 'reach': 'before', 'as': 'weight_below'}, {'measure': 'weight', 'reach': 'all', 'as': 'weight_of_all'}] -%}
{{ sqlmetrics.cte(pairs, 'one per distinct pair of label and score', stored=true) }}
{{ sqlmetrics.sums_by(keys + ['label', 'score'], ['sum(weight) as weight'], rows_from, f.where) }}
{{ sqlmetrics.cte(distinct, 'one per distinct score, and per distinct label') }}
select
    {{- sqlmetrics.leading(keys + ['ordering', 'ordered_value']) }}
    sum(weight) as weight,
    sum(row_count) as row_count
from (
    select
        {{- sqlmetrics.leading(keys + ['ordering'], depth=2) }}
        case ordering when 1 then score else label end as ordered_value,
        weight,
        row_count
    from {{ pairs }}
    cross join (
        {{ sqlmetrics.numbers(2, 'ordering') | indent(8) }}
    ) as orders
) as pairs_in_orders
{{- sqlmetrics.group_by(keys + ['ordering', 'ordered_value']) }}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(placed, distinct, keys + ['ordering'], 'ordered_value', ' asc', carried, {'weight': 'weight'}, sums)) }}
{{ sqlmetrics.cte('score_ranks_of_labels' ~ f.suffix, 'one per distinct label, with the ranks of its rows by the score') }}
select
    {{- sqlmetrics.leading(keys + ['label']) }}
    sum(weight) as weight,
    sum(weight * score_rank) as score_rank_sum,
    sum(weight * score_rank * score_rank) as score_rank_squares,
    sum(row_count) as row_count
from (
    select
        {{- sqlmetrics.leading(keys + ['label', 'weight'], 'pairs', depth=2) }}
        {{ sqlmetrics.rank_from_middle('scores') }} as score_rank,
        pairs.row_count as row_count
    from {{ pairs }} as pairs
    inner join {{ placed.cte }} as scores
        on {{ sqlmetrics.matching('pairs', 'scores', keys, depth=2) }}pairs.score = scores.ordered_value
        and scores.ordering = 1
) as pairs_with_ranks
{{- sqlmetrics.group_by(keys + ['label']) }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys, 'sums') }}
    {{ sqlmetrics.rank_from_middle('labels') }} as label_rank,
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('sums', ['weight', 'score_rank_sum', 'score_rank_squares', 'row_count'])) }}
from score_ranks_of_labels{{ f.suffix }} as sums
inner join {{ placed.cte }} as labels
    on {{ sqlmetrics.matching('sums', 'labels', keys) }}sums.label = labels.ordered_value
    and labels.ordering = 2
{%- endmacro -%}

{#- What lies below and half of what is there, from half of all. -#}
{%- macro rank_from_middle(step) -%}(({{ step }}.weight_below + {{ step }}.weight / 2) / nullif({{ step }}.weight_of_all, 0) - 0.5){%- endmacro -%}
