{#-
title: Mean squared error
answers: [error]
formula: mean (y − ŷ)²
frame: rows
label_type: number
score: number
lower: 0
better: lower
scale: in the squared unit of the label
undefined: NULL without rows
oracle: sklearn.metrics.mean_squared_error
source: scikit-learn user guide, section 3.4.6
names: {scikit-learn: "mean_squared_error", LightGBM: "l2"}
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 0.375}
-#}
{%- macro mse__value(m) -%}
{{ sqlmetrics.weighted_mean(m, sqlmetrics.square('(label - score)')) }}
{%- endmacro -%}
