{#-
title: Mean Gamma deviance
answers: [error, percent]
formula: mean 2·(ln(ŷ/y) + y/ŷ − 1)
frame: rows
label_type: number
score: number
lower: 0
better: lower
scale: without a unit
undefined: NULL without rows; a label or a prediction of 0 or less is an error
rules:
  - {column: label, keeps: label > 0, message: 'is 0 or less, which has no logarithm'}
  - {column: score, keeps: score > 0, message: 'is 0 or less, which has no logarithm'}
oracle: sklearn.metrics.mean_gamma_deviance
source: McCullagh and Nelder, Generalized Linear Models, 1989
names: {scikit-learn: "mean_gamma_deviance"}
example: {label: [0.5, 1, 2, 4], score: [1.0, 1.0, 2.0, 2.0], result: 0.25}
-#}
{%- macro gamma_deviance__value(m) -%}
{{ sqlmetrics.mean_deviance(m, 2) }}
{%- endmacro -%}
