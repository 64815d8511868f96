{#-
title: paired ranks
rows: one per distinct label
stateless: it orders all rows by score and by label
columns: label_rank (the middle of the places that the rows of this label have among all, as a share of all, from the middle of all), weight, score_rank_sum and score_rank_squares (the same by the score, over the rows of the label, weighted), row_count
-#}

{#- Rows of equal values share their places. Each row is there twice, by its label and by its score, so that one pass orders both. What
    is asked of a label, of which there may be two, is added up before it is brought together with the place of the label. -#}
{%- macro paired_ranks(f, rows_from, keys) -%}
{%- set pairs = 'value_pairs' ~ f.suffix -%}
{%- set ranked = 'score_ranks_of_labels' ~ f.suffix -%}
{%- set values = 'values_in_orders' ~ f.suffix -%}
{%- set placed = 'places_of_values' ~ f.suffix -%}
{%- set value_pairs -%}
select
    {{ sqlmetrics.lines(keys + ['label', 'score', 'sum(weight) as weight', 'count(*) as row_count']) }}
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys + ['label', 'score']) }}
{%- endset -%}
{%- set values_in_orders -%}
select
    {{ sqlmetrics.lines(keys + ['ordering', 'ordered_value', 'sum(weight) as weight', 'sum(row_count) as row_count']) }}
from (
    select
        {{ (keys + ['ordering', 'case ordering when 1 then score else label end as ordered_value', 'weight', 'row_count']) | join(',\n        ') }}
    from {{ pairs }}
    cross join (
        {{ sqlmetrics.numbers(2, 'ordering') | indent(8) }}
    ) as orders
) as pairs_in_orders
{{- sqlmetrics.group_by(keys + ['ordering', 'ordered_value']) }}
{%- endset -%}
{%- set score_ranks -%}
select
    {{ sqlmetrics.lines(keys + ['label', 'sum(weight) as weight']) }},
    sum(weight * score_rank) as score_rank_sum,
    sum(weight * score_rank * score_rank) as score_rank_squares,
    sum(row_count) as row_count
from (
    select
        {{ sqlmetrics.keys_of('pairs', keys + ['label', 'weight']) | join(',\n        ') }},
        {{ sqlmetrics.rank_from_middle('scores') }} as score_rank,
        pairs.row_count as row_count
    from {{ pairs }} as pairs
    inner join {{ placed }} as scores
        on {{ (sqlmetrics.same_keys('pairs', 'scores', keys) + ['pairs.score = scores.ordered_value', 'scores.ordering = 1']) | join('\n        and ') }}
) as pairs_with_ranks
{{- sqlmetrics.group_by(keys + ['label']) }}
{%- endset -%}
{%- set paired_ranks -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('sums', keys) + [sqlmetrics.rank_from_middle('labels') ~ ' as label_rank']) }},
    {{ sqlmetrics.lines(sqlmetrics.keys_of('sums', ['weight', 'score_rank_sum', 'score_rank_squares', 'row_count'])) }}
from {{ ranked }} as sums
inner join {{ placed }} as labels
    on {{ (sqlmetrics.same_keys('sums', 'labels', keys) + ['sums.label = labels.ordered_value', 'labels.ordering = 2']) | join('\n    and ') }}
{%- endset -%}
{%- set sums = [{'measure': 'weight', 'reach': 'before', 'as': 'weight_below'}, {'measure': 'weight', 'reach': 'all', 'as': 'weight_of_all'}] -%}
{{ return([
    sqlmetrics.step(pairs, value_pairs, 'one per distinct pair of label and score', stored=true),
    sqlmetrics.step(values, values_in_orders, 'one per distinct score, and per distinct label'),
] + sqlmetrics.running_sums(dict(f, cte=placed, rows='these, with what lies below'), values, keys + ['ordering'], 'ordered_value', ' asc', ['ordered_value', 'weight', 'row_count'], {'weight': 'weight'}, sums) + [
    sqlmetrics.step(ranked, score_ranks, 'one per distinct label, with the ranks of its rows by the score'),
    sqlmetrics.step(f.cte, paired_ranks, f.rows),
]) }}
{%- endmacro -%}

{#- What lies below and half of what is there, from half of all. -#}
{%- macro rank_from_middle(step) -%}
(({{ step }}.weight_below + {{ step }}.weight / 2) / nullif({{ step }}.weight_of_all, 0) - 0.5)
{%- endmacro -%}
