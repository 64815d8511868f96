{#-
title: Precision
answers: [calls]
formula: TP / (TP + FP)
frame: rows
label_type: binary
score: threshold
lower: 0
upper: 1
better: higher
undefined: NULL when no row is predicted positive (zero_division replaces it)
oracle: sklearn.metrics.precision_score
source: scikit-learn user guide, section 3.4.4
notes: 1 − precision is the false discovery rate.
parameters: [threshold, zero_division]
names: {scikit-learn: "precision_score"}
example: {label: [0, 1, 1, 0], score: [0.6, 0.7, 0.4, 0.1], result: 0.5}
-#}
{%- macro precision__value(m) -%}
{{ sqlmetrics.divided_or(m, sqlmetrics.true_positives(m), sqlmetrics.rows_called_positive(m)) }}
{%- endmacro -%}
