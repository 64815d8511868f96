{#-
title: quantile rows
rows: one per row of the log, with the quantile of the labels of its slice
counts: count(*)
stateless: the quantile of all labels is not a function of the quantiles of parts
columns: label, score, weight, best_constant (of all numbers the one whose pinball loss is least)
parameters:
  alpha: {type: number, default: 0.5, minimum: 0.001, maximum: 0.999, doc: the predicted quantile}
metric_parameters:
  force_finite: {type: boolean, default: false, doc: 'return 1 (exact predictions) or 0 (others) for a constant label, instead of NULL', presets: {sklearn: true}, used_by: {true: scikit-learn}}
-#}

{#- The lowest label at which the cumulative weight reaches the share alpha. If it is exactly alpha, every number up to the next label has
    the same loss, so rounding of sums does not matter. -#}
{%- macro quantile_rows(f, rows_from, keys) -%}
{%- set share = sqlmetrics.to_double(sqlmetrics.number(f.params.alpha)) -%}
{{ sqlmetrics.cte('distinct_labels' ~ f.suffix, 'one per distinct label') }}
{{ sqlmetrics.sums_by(keys + ['label'], ['sum(weight) as weight'], rows_from, f.where) }}
{{ sqlmetrics.sums_in_order(f, 'reached_labels' ~ f.suffix, 'labels, with their cumulative weight', 'distinct_labels' ~ f.suffix, keys, 'label', ' asc', ['label', 'weight', 'row_count'], {'reached': ['weight', 'cumulative'], 'total': ['weight', 'total']}) }}
{{ sqlmetrics.cte('quantiles' ~ f.suffix, 'one per slice') }}
select
    {{- sqlmetrics.leading(keys) }}
    min(case when reached >= {{ share }} * total and weight > 0 then label end) as best_constant
from reached_labels{{ f.suffix }}
{{- sqlmetrics.group_by(keys) }}
{{ sqlmetrics.rows_next_to(f, 'quantiles', rows_from, keys, ['best_constant']) }}
{%- endmacro -%}
