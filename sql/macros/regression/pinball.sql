{#-
title: Pinball (quantile) loss
answers: [quantile]
formula: mean of α·(y − ŷ)⁺ + (1 − α)·(ŷ − y)⁺
frame: rows
label_type: number
score: number
lower: 0
better: lower
scale: in the unit of the label
undefined: NULL without rows
oracle: sklearn.metrics.mean_pinball_loss
source: Koenker and Bassett, Econometrica 46 (1978)
parameters:
  alpha: {type: number, default: 0.5, minimum: 0, maximum: 1, doc: the predicted quantile, presets: {lightgbm: 0.9}, used_by: {0.5: scikit-learn, 0.9: LightGBM}}
names: {scikit-learn: "mean_pinball_loss", LightGBM: "quantile"}
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 0.25}
-#}
{%- macro pinball__value(m) -%}
{{ sqlmetrics.weighted_mean(m, '(' ~ sqlmetrics.pinball_loss(m.alpha, 'score') ~ ')') }}
{%- endmacro -%}
