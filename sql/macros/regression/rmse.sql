{#-
title: Root mean squared error
answers: [better, error]
formula: √ mean (y − ŷ)²
frame: rows
label_type: number
score: number
lower: 0
better: lower
scale: in the unit of the label
undefined: NULL without rows
oracle: sklearn.metrics.root_mean_squared_error
source: scikit-learn user guide, section 3.4.6
names: {scikit-learn: "root_mean_squared_error", LightGBM: "rmse"}
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 0.6124}
-#}
{%- macro rmse__value(m) -%}
sqrt({{ sqlmetrics.weighted_mean(m, sqlmetrics.square('(label - score)')) }})
{%- endmacro -%}
