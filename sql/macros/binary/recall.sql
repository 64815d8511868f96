{#-
title: Recall (true positive rate)
answers: [calls]
formula: TP / (TP + FN)
frame: rows
label_type: binary
score: threshold
lower: 0
upper: 1
better: higher
undefined: NULL without positives (zero_division replaces it)
oracle: sklearn.metrics.recall_score
source: scikit-learn user guide, section 3.4.4
notes: Also called sensitivity.
parameters: [threshold, zero_division]
names: {scikit-learn: "recall_score"}
example: {label: [0, 1, 1, 0], score: [0.6, 0.7, 0.4, 0.1], result: 0.5}
-#}
{%- macro recall__value(m) -%}
{{ sqlmetrics.divided_or(m, sqlmetrics.true_positives(m), sqlmetrics.positives(m)) }}
{%- endmacro -%}
