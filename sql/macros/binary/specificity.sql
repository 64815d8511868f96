{#-
title: Specificity (true negative rate)
answers: [calls]
formula: TN / (FP + TN)
frame: rows
label_type: binary
score: threshold
lower: 0
upper: 1
better: higher
undefined: NULL without negatives (zero_division replaces it)
oracle: sklearn.metrics.recall_score(pos_label=0)
source: scikit-learn user guide, section 3.4.4
parameters: [threshold, zero_division]
names: {scikit-learn: "recall_score(pos_label=0)"}
example: {label: [0, 1, 1, 0], score: [0.6, 0.7, 0.4, 0.1], result: 0.5}
-#}
{%- macro specificity__value(m) -%}
{{ sqlmetrics.divided_or(m, sqlmetrics.true_negatives(m), sqlmetrics.negatives(m)) }}
{%- endmacro -%}
