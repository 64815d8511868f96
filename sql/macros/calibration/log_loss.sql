{#-
title: Log loss (binary cross-entropy)
formula: −mean(y·ln p + (1 − y)·ln(1 − p)), p kept within [eps, 1 − eps]
frame: rows
truth: binary
score: probability
range: 0 and up, lower is better
undefined: NULL without rows
oracle: sklearn.metrics.log_loss
source: scikit-learn user guide, section 3.4.4
parameters:
  eps: {type: number, default: 2.220446049250313e-16, minimum: 1.0e-300, maximum: 0.5, doc: how near to 0 and 1 a probability may come}
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.4723}
-#}
{%- macro log_loss__value(m) -%}
{%- set eps = sqlmetrics.number(m.eps) -%}
-sum(
    pos * ln(least(greatest(score, {{ eps }}), 1 - {{ eps }}))
    + neg * ln(least(greatest(1 - score, {{ eps }}), 1 - {{ eps }}))
) / nullif(sum(pos + neg), 0)
{%- endmacro -%}
