{#-
title: paired ranks
rows: one per row of the log, or per distinct label where rows are weighted or scores repeat
stateless: it orders all rows by score and by label
columns: label_rank (the mean rank of the rows with this label, as a share of all rows, from the middle), weight, score_rank_sum and score_rank_squares (the same by the score, over the rows of the label, weighted), row_count and, where a metric uses it, label_above_lowest (how far the label is above the lowest of any weight)
-#}

{#- Rows with equal values share their rank. Ranked rows need one sort per order. Otherwise weights are summed by value, and sums per
    label are computed before the join to the ranks of labels. There may be only two labels. -#}
{%- macro paired_ranks(f, rows_from, keys) -%}
{%- set above = 'label_above_lowest' in f.uses -%}
{%- if not f.ranked -%}{{ sqlmetrics.paired_weights(f, rows_from, keys, above) }}{%- else -%}
{%- set lowest = 'min(label) ' ~ sqlmetrics.over(keys, 'label asc rows between unbounded preceding and unbounded following') -%}
{{ sqlmetrics.cte('rows_by_label' ~ f.suffix, 'one per row of the log, with its rank by label') }}
select
    {{- sqlmetrics.leading(keys + ['score'] + (['label - ' ~ lowest ~ ' as label_above_lowest'] if above else [])) }}
    {{ sqlmetrics.rank_of_row(keys, 'label') }} as label_rank
from {{ rows_from }}
{{- f.where }}
{{ sqlmetrics.cte('rows_by_score' ~ f.suffix, 'rows, with their ranks by label and by score') }}
select
    {{- sqlmetrics.leading(keys + ['label_rank'] + (['label_above_lowest'] if above else [])) }}
    {{ sqlmetrics.rank_of_row(keys, 'score') }} as score_rank
from rows_by_label{{ f.suffix }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys + ['label_rank'] + (['label_above_lowest'] if above else [])) }}
    {{ sqlmetrics.to_double('1') }} as weight,
    score_rank as score_rank_sum,
    score_rank * score_rank as score_rank_squares,
    1 as row_count
from rows_by_score{{ f.suffix }}
{%- endif -%}
{%- endmacro -%}

{%- macro paired_weights(f, rows_from, keys, above) -%}
{%- set pairs = 'value_pairs' ~ f.suffix -%}
{%- set distinct = 'distinct_scores' ~ f.suffix -%}
{%- set scores = dict(f, cte='ranks_of_scores' ~ f.suffix, rows='one per distinct score, with the weight below it') -%}
{%- set labels = dict(f, cte='ranks_of_labels' ~ f.suffix, rows='one per distinct label, with the weight below it') -%}
{%- set sums = [{'measure': 'weight', 'scope': 'before', 'as': 'weight_below'}, {'measure': 'weight', 'scope': 'total', 'as': 'weight_of_all'}] -%}
{%- set carried = ['weight', 'score_rank_sum', 'score_rank_squares', 'row_count'] -%}
{%- set lowest = 'lowest_labels' ~ f.suffix -%}
{{ sqlmetrics.cte(pairs, 'one per distinct pair of label and score', materialized=true) }}
{{ sqlmetrics.sums_by(keys + ['label', 'score'], ['sum(weight) as weight'], rows_from, f.where) }}
{{ sqlmetrics.cte(distinct, 'one per distinct score') }}
{{ sqlmetrics.sums_by(keys + ['score'], ['sum(weight) as weight'], pairs, row_count='sum(row_count)') }}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(scores, distinct, keys, 'score', ' asc', ['score', 'weight', 'row_count'], {'weight': 'weight'}, sums)) }}
{{ sqlmetrics.cte('labels' ~ f.suffix, 'one per distinct label, with the ranks of its rows by the score') }}
select
    {{- sqlmetrics.leading(keys + ['label']) }}
    sum(weight) as weight,
    sum(weight * score_rank) as score_rank_sum,
    sum(weight * score_rank * score_rank) as score_rank_squares,
    sum(row_count) as row_count
from (
    select
        {{- sqlmetrics.leading(keys + ['label', 'weight', 'row_count'], 'pairs', depth=2) }}
        {{ sqlmetrics.rank_from_middle('scores') }} as score_rank
    from {{ pairs }} as pairs
    inner join {{ scores.cte }} as scores{{ sqlmetrics.on('pairs', 'scores', keys, ['pairs.score = scores.score'], depth=2) }}
) as pairs_with_ranks
{{- sqlmetrics.group_by(keys + ['label']) }}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(labels, 'labels' ~ f.suffix, keys, 'label', ' asc', ['label'] + carried, {'weight': 'weight'}, sums)) }}
{%- if above %}
{{ sqlmetrics.cte(lowest, 'one per slice, with its lowest label of positive weight') }}
select
    {{- sqlmetrics.leading(keys) }}
    min(case when weight > 0 then label end) as lowest_label
from {{ pairs }}
{{- sqlmetrics.group_by(keys) }}
{%- endif %}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select{{ sqlmetrics.broadcast('lowest') if above }}
    {{- sqlmetrics.leading(keys, 'labels') }}
    {{ sqlmetrics.rank_from_middle('labels') }} as label_rank,
    {{ sqlmetrics.select_list((['labels.label - lowest.lowest_label as label_above_lowest'] if above else []) + sqlmetrics.keys_alone('labels', carried)) }}
from {{ labels.cte }} as labels
{%- if above %}
inner join {{ lowest }} as lowest{{ sqlmetrics.on('labels', 'lowest', keys) }}
{%- endif -%}
{%- endmacro -%}

{#- Share of weight below plus half the share at the value, minus 0.5; for ranked rows, from ranks. -#}
{%- macro rank_from_middle(step) -%}(({{ step }}.weight_below + {{ step }}.weight / 2) / nullif({{ step }}.weight_of_all, 0) - 0.5){%- endmacro -%}

{%- macro rank_of_row(keys, value) -%}
{%- set in_order = sqlmetrics.over(keys, value ~ ' asc') -%}
{%- set of_all = sqlmetrics.over(keys, value ~ ' asc rows between unbounded preceding and unbounded following') -%}
(
        {{ sqlmetrics.to_double('rank() ' ~ in_order ~ ' - 1') }}
            / nullif(count(*) {{ of_all }}, 0)
        + cume_dist() {{ in_order }} - 1
    ) / 2
{%- endmacro -%}
