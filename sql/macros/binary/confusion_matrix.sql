{#-
title: Confusion matrix
answers: [calls, confused]
formula: TP, FP, FN, TN, the (weighted) counts of right and wrong calls
frame: rows
label_type: binary
score: threshold
columns: [tp, fp, fn, tn]
lower: 0
undefined: 0 without rows
oracle: sklearn.metrics.confusion_matrix
source: scikit-learn user guide, section 3.4.4
parameters: [threshold]
names: {scikit-learn: "confusion_matrix (binary)"}
example: {label: [0, 1, 1, 0], score: [0.6, 0.7, 0.4, 0.1], column: tp, result: 1.0}
-#}
{%- macro confusion_matrix__value(m) -%}
{%- if m.column == 'tp' -%}
coalesce({{ sqlmetrics.true_positives(m) }}, 0)
{%- elif m.column == 'fp' -%}
coalesce({{ sqlmetrics.false_positives(m) }}, 0)
{%- elif m.column == 'fn' -%}
coalesce({{ sqlmetrics.false_negatives(m) }}, 0)
{%- else -%}
coalesce({{ sqlmetrics.true_negatives(m) }}, 0)
{%- endif -%}
{%- endmacro -%}
