{#-
title: Log loss (binary cross-entropy)
answers: [better, probabilities]
formula: −mean(y·ln p + (1 − y)·ln(1 − p)), p kept within [eps, 1 − eps]
frame: rows
label_type: binary
score: probability
lower: 0
better: lower
undefined: NULL without rows
oracle: sklearn.metrics.log_loss
source: scikit-learn user guide, section 3.4.4
parameters: [eps]
names: {scikit-learn: "log_loss", LightGBM: "binary_logloss"}
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.4723}
-#}
{%- macro log_loss__value(m) -%}
{{ sqlmetrics.cross_entropy(m) }}
{%- endmacro -%}
