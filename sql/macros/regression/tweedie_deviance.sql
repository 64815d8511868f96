{#-
title: Mean Tweedie deviance
answers: [error]
formula: mean 2·(y^(2 − p)/((1 − p)(2 − p)) − y·ŷ^(1 − p)/(1 − p) + ŷ^(2 − p)/(2 − p)), p the power
frame: rows
label_type: number
score: number
lower: 0
better: lower
undefined: NULL without rows; a label below 0 or a prediction of 0 or less is an error
rules:
  - {column: label, keeps: label >= 0, message: is negative}
  - {column: score, keeps: score > 0, message: 'is 0 or less, which has no logarithm'}
oracle: sklearn.metrics.mean_tweedie_deviance
source: Jørgensen, Journal of the Royal Statistical Society B 49 (1987)
parameters:
  power: {type: number, default: 1.5, minimum: 1, maximum: 1.99, doc: 'p, for sums with many zeros: 1 is poisson_deviance, and 2 would be gamma_deviance, which does not support zeros'}
notes: For amounts that are mostly zero, such as the value of users.
names: {scikit-learn: "mean_tweedie_deviance(power=1.5)"}
example: {label: [0, 1, 2, 4], score: [0.5, 1.0, 2.0, 3.0], result: 0.7486}
-#}
{%- macro tweedie_deviance__value(m) -%}
{{ sqlmetrics.mean_deviance(m, m.power) }}
{%- endmacro -%}
