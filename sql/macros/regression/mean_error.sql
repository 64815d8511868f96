{#-
title: Mean error (bias)
answers: [bias]
formula: mean of ŷ − y
frame: rows
label_type: number
score: number
ideal: 0
scale: in the unit of the label; above 0 the model predicts too much
undefined: NULL without rows
oracle: by hand
source: Hyndman and Koehler, International Journal of Forecasting 22 (2006)
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 0.25}
-#}
{%- macro mean_error__value(m) -%}
{{ sqlmetrics.weighted_mean(m, '(score - label)') }}
{%- endmacro -%}
