{#-
title: F-beta, precision and recall with recall beta times as important
answers: [calls]
formula: (1 + β²)·TP / ((1 + β²)·TP + β²·FN + FP)
frame: rows
label_type: binary
score: threshold
lower: 0
upper: 1
better: higher
undefined: NULL when TP, FN and FP are all 0 (zero_division replaces it)
oracle: sklearn.metrics.fbeta_score
source: scikit-learn user guide, section 3.4.4
parameters:
  beta: {type: number, required: true, minimum: 0, maximum: 1.0e+20, doc: the weight of recall relative to precision}
  threshold: frame
  zero_division: frame
names: {scikit-learn: "fbeta_score"}
example: {label: [0, 1, 1, 0], score: [0.6, 0.7, 0.4, 0.1], call: fbeta(beta=2), result: 0.5}
-#}
{%- macro fbeta__value(m) -%}
{%- set beta_squared = sqlmetrics.number(m.beta) ~ ' * ' ~ sqlmetrics.number(m.beta) -%}
{{ sqlmetrics.divided_or(
    m,
    '(1 + ' ~ beta_squared ~ ') * ' ~ sqlmetrics.true_positives(m),
    '(' ~ beta_squared ~ ' * ' ~ sqlmetrics.positives(m) ~ ' + ' ~ sqlmetrics.rows_called_positive(m) ~ ')'
) }}
{%- endmacro -%}
