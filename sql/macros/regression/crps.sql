{#-
title: Continuous ranked probability score of quantiles
answers: [quantile]
formula: mean over rows and levels of 2·(α·(y − q)⁺ + (1 − α)·(q − y)⁺), q the predicted quantile of level α
frame: rows
label_type: number
lower: 0
better: lower
scale: in the unit of the label
undefined: NULL without rows
oracle: crps_quantile of scoringrules; mean_pinball_loss of scikit-learn, level by level
source: Gneiting and Raftery, JASA 102 (2007), section 4.2; by quantiles as in Laio and Tamea, HESS 11 (2007)
notes: "The error of a predicted distribution, given by some quantiles: twice the mean of their [`pinball`](#pinball) losses. Dense and evenly spaced levels, such as 0.05, 0.15, …, 0.95, approximate the score of the whole distribution. Only results with the same levels are comparable."
parameters:
  quantiles: {type: quantiles, required: true, doc: the column of each level's predicted quantile}
names: {scoringrules: "crps_quantile"}
example: {label: [3, 7], p10: [2, 8], p50: [3, 9], p90: [5, 10], call: "crps(quantiles={0.1: 'p10', 0.5: 'p50', 0.9: 'p90'})", result: 0.8333}
-#}
{%- macro crps__value(m) -%}
{%- set losses = [] -%}
{%- for quantile in m.quantile_columns -%}
{%- do losses.append(sqlmetrics.pinball_loss(quantile.level, quantile.column)) -%}
{%- endfor -%}
{{ sqlmetrics.weighted_mean(m, '((' ~ losses | join('\n        + ') ~ ') * 2 / ' ~ losses | length ~ ')') }}
{%- endmacro -%}
