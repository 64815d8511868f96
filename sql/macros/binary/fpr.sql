{#-
title: False positive rate
answers: [calls]
formula: FP / (FP + TN)
frame: rows
label_type: binary
score: threshold
lower: 0
upper: 1
better: lower
undefined: NULL without negatives (zero_division replaces it)
oracle: sklearn.metrics.confusion_matrix
source: scikit-learn user guide, section 3.4.4
parameters: [threshold, zero_division]
example: {label: [0, 1, 1, 0], score: [0.6, 0.7, 0.4, 0.1], result: 0.5}
-#}
{%- macro fpr__value(m) -%}
{{ sqlmetrics.divided_or(m, sqlmetrics.false_positives(m), sqlmetrics.negatives(m)) }}
{%- endmacro -%}
