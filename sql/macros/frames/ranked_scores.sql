{#-
title: ranked scores
rows: one per row of the log, unweighted
state: scores
counts: count(*)
columns: pos, rows_above, cumulative_share and, where a metric uses them, true_positives (at this score or above), positives_from_here (at this score or below), positives and negatives (totals)
-#}

{#- `rows_above` counts rows with a higher score, and `cumulative_share` is the share of rows with this score or a higher one. Both use one
    sort; count(*) over (partition by score) needs another and takes twice as long. -#}
{%- macro ranked_scores(f, rows_from, keys) -%}
{%- set by_score = sqlmetrics.over(keys, 'score desc') -%}
{%- set whole_slice = sqlmetrics.order_of_all_rows(keys, 'score desc') -%}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys + (['group_id'] if 'group_hash' in keys else []) + (f.ranked_with or [])) }}
    pos
    {{- sqlmetrics.also(f.optimal_thresholds, 'score') }}
    {{- sqlmetrics.also('true_positives' in f.uses, sqlmetrics.count_as('true_positives', 1, keys, 'score desc')) }}
    {{- sqlmetrics.also('positives_from_here' in f.uses, sqlmetrics.count_as('positives_from_here', 1, keys, 'score desc range between current row and unbounded following')) }}
    {{- sqlmetrics.also('totals' in f.uses, sqlmetrics.count_as('positives', 1, keys, whole_slice)) }}
    {{- sqlmetrics.also('totals' in f.uses, sqlmetrics.count_as('negatives', 0, keys, whole_slice)) }},
    rank() {{ by_score }} - 1 as rows_above,
    cume_dist() {{ by_score }} as cumulative_share
from {{ rows_from }}
{{- f.where }}
{%- endmacro -%}

{#- Rows of a window with this label. Counts take half the time of sums of doubles. -#}
{%- macro count_of(label, window) -%}
{{ sqlmetrics.to_double('count(case when pos = ' ~ label ~ ' then 1 end) ' ~ window) }}
{%- endmacro -%}

{#- The same as a column. Some casts leave no room for the window on its line. -#}
{%- macro count_as(name, label, keys, order) -%}
{%- set line = sqlmetrics.count_of(label, sqlmetrics.over(keys, order)) ~ ' as ' ~ name -%}
{{ line if line | length <= 151 else sqlmetrics.count_of(label, sqlmetrics.over(keys, order, broken=true)) ~ ' as ' ~ name }}
{%- endmacro -%}

{#- All rows of a slice. Without slices in the order of the ranks, because DuckDB reads `over ()` in one thread. -#}
{%- macro over_all_rows(keys, order) -%}
{{ sqlmetrics.over(keys, sqlmetrics.order_of_all_rows(keys, order)) }}
{%- endmacro -%}

{%- macro order_of_all_rows(keys, order) -%}
{{ return(none if keys else order ~ ' rows between unbounded preceding and unbounded following') }}
{%- endmacro -%}

{#- P(score of a positive > score of a negative) + ½ P(equal). From ranks: a positive's mean rank from the top counts the negatives above,
    half of the tied ones, and the positives above, P²/2 in total. `round` restores the exact count. From thresholds: pairs are counted
    directly. Weights are shares of totals, because products of weights may leave the range of doubles. -#}
{%- macro area_under_roc(frame, weighted=false) -%}
{%- if frame == 'ranked_scores' -%}
1 - (sum(pos * rows_above) + round(count(*) * sum(pos * cumulative_share)) - sum(pos) * sum(pos))
    / nullif(2 * sum(pos) * (count(*) - sum(pos)), 0)
{%- elif weighted -%}
1 - sum(pos / nullif(positives, 0) * ((false_positives - neg / 2) / nullif(negatives, 0)))
{%- else -%}
1 - sum(pos * (false_positives - neg / 2)) / nullif(sum(pos) * sum(neg), 0)
{%- endif -%}
{%- endmacro -%}

{#- The largest error of an AUC by steps: half of the pairs that share a step. -#}
{%- macro doubt_of_steps(weighted) -%}
{%- if weighted -%}
sum(pos / nullif(positives, 0) * (neg / nullif(negatives, 0))) / 2
{%- else -%}
sum(pos * neg) / 2 / nullif(sum(pos) * sum(neg), 0)
{%- endif -%}
{%- endmacro -%}
