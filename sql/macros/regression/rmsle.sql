{#-
title: Root mean squared logarithmic error
answers: [percent]
formula: √ mean (ln(1 + y) − ln(1 + ŷ))²
frame: rows
truth: number
score: number
range: 0 and up, lower is better
undefined: NULL without rows; a value of −1 or less is an error
rules:
  - {column: label, keeps: label > -1, words: 'is -1 or less, which has no logarithm of 1 + label'}
  - {column: score, keeps: score > -1, words: 'is -1 or less, which has no logarithm of 1 + score'}
oracle: sklearn.metrics.root_mean_squared_log_error
source: scikit-learn user guide, section 3.4.6
names: {scikit-learn: "root_mean_squared_log_error"}
example: {label: [3.0, 5.0, 2.5, 7.0], score: [2.5, 5.0, 4.0, 8.0], result: 0.1993}
-#}
{#- Values at or below -1 have no logarithm: the runner refuses them, plain SQL leaves them out. -#}
{%- macro rmsle__value(m) -%}
sqrt({{ sqlmetrics.sum_of(m, 'case when label > -1 and score > -1 then weight * power(ln(1 + label) - ln(1 + score), 2) end') }} / nullif({{ sqlmetrics.sum_of(m, 'case when label > -1 and score > -1 then weight end') }}, 0))
{%- endmacro -%}
