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
{%- if f.ranked -%}
{%- set lowest = 'min(label) ' ~ sqlmetrics.over(keys, 'label asc rows between unbounded preceding and unbounded following') -%}
{{ sqlmetrics.cte('rows_by_label' ~ f.suffix, 'one per row of the log, with its rank by label') }}
select
    {{- sqlmetrics.leading(keys + ['score'] + (['label - ' ~ lowest ~ ' as label_above_lowest'] if above else [])) }}
    {{ sqlmetrics.rank_of_row(keys, 'label asc') }} as label_rank
from {{ rows_from }}
{{- f.where }}
{{ sqlmetrics.cte('rows_by_score' ~ f.suffix, 'rows, with their ranks by label and by score') }}
select
    {{- sqlmetrics.leading(keys + ['label_rank'] + (['label_above_lowest'] if above else [])) }}
    {{ sqlmetrics.rank_of_row(keys, 'score asc') }} as score_rank
from rows_by_label{{ f.suffix }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys + ['label_rank'] + (['label_above_lowest'] if above else [])) }}
    {{ sqlmetrics.to_double('1') }} as weight,
    score_rank as score_rank_sum,
    score_rank * score_rank as score_rank_squares,
    1 as row_count
from rows_by_score{{ f.suffix }}
{%- else -%}
{%- set pairs = 'value_pairs' ~ f.suffix -%}
{%- set sums = {'weight_below': ['weight', 'before'], 'weight_of_all': ['weight', 'total']} -%}
{%- set carried = ['weight', 'score_rank_sum', 'score_rank_squares', 'row_count'] -%}
{{ sqlmetrics.cte(pairs, 'one per distinct pair of label and score', materialized=true) }}
{{ sqlmetrics.sums_by(keys + ['label', 'score'], ['sum(weight) as weight'], rows_from, f.where) }}
{{ sqlmetrics.cte('distinct_scores' ~ f.suffix, 'one per distinct score') }}
{{ sqlmetrics.sums_by(keys + ['score'], ['sum(weight) as weight'], pairs, row_count='sum(row_count)') }}
{{ sqlmetrics.sums_in_order(f, 'ranks_of_scores' ~ f.suffix, 'one per distinct score, with the weight below it', 'distinct_scores' ~ f.suffix, keys, 'score', ' asc', ['score', 'weight', 'row_count'], sums) }}
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
    inner join ranks_of_scores{{ f.suffix }} as scores{{ sqlmetrics.on('pairs', 'scores', keys, ['pairs.score = scores.score'], depth=2) }}
) as pairs_with_ranks
{{- sqlmetrics.group_by(keys + ['label']) }}
{{ sqlmetrics.sums_in_order(f, 'ranks_of_labels' ~ f.suffix, 'one per distinct label, with the weight below it', 'labels' ~ f.suffix, keys, 'label', ' asc', ['label'] + carried, sums) }}
{%- if above %}
{{ sqlmetrics.cte('lowest_labels' ~ f.suffix, 'one per slice, with its lowest label of positive weight') }}
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
from ranks_of_labels{{ f.suffix }} as labels
{%- if above %}
inner join lowest_labels{{ f.suffix }} as lowest{{ sqlmetrics.on('labels', 'lowest', keys) }}
{%- endif -%}
{%- endif -%}
{%- endmacro -%}

{#- Share of weight below plus half the share at the value, minus 0.5; for ranked rows, from ranks. -#}
{%- macro rank_from_middle(step) -%}(({{ step }}.weight_below + {{ step }}.weight / 2) / nullif({{ step }}.weight_of_all, 0) - 0.5){%- endmacro -%}

{%- macro rank_of_row(keys, order) -%}
{%- set in_order = sqlmetrics.over(keys, order) -%}
(
        {{ sqlmetrics.to_double('rank() ' ~ in_order ~ ' - 1') }}
            / nullif(count(*) {{ sqlmetrics.over_all_rows(keys, order) }}, 0)
        + cume_dist() {{ in_order }} - 1
    ) / 2
{%- endmacro -%}
