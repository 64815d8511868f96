{#-
title: Mean Poisson deviance
answers: [error]
formula: mean 2·(y·ln(y/ŷ) − y + ŷ)
frame: rows
label_type: number
score: number
lower: 0
better: lower
scale: in the unit of the label
undefined: NULL without rows; a label below 0 or a prediction of 0 or less is an error
rules:
  - {column: label, keeps: label >= 0, message: is negative}
  - {column: score, keeps: score > 0, message: 'is 0 or less, which has no logarithm'}
oracle: sklearn.metrics.mean_poisson_deviance
source: McCullagh and Nelder, Generalized Linear Models, 1989
names: {scikit-learn: "mean_poisson_deviance"}
example: {label: [0, 1, 2, 4], score: [0.5, 1.0, 2.0, 3.0], result: 0.3254}
-#}
{%- macro poisson_deviance__value(m) -%}
{{ sqlmetrics.mean_deviance(m, 1) }}
{%- endmacro -%}
