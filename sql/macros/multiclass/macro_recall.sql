{#-
title: Macro recall
answers: [classes]
formula: mean over classes of TP / (TP + FN)
frame: class_counts
label_type: class
score: class
lower: 0
upper: 1
better: higher
undefined: NULL without rows; an undefined class value counts 0
oracle: sklearn.metrics.recall_score(average='macro')
source: scikit-learn user guide, section 3.4.4
names: {scikit-learn: "recall_score(average='macro')"}
example: {label: [a, a, b, c], prediction: [a, b, b, c], result: 0.8333}
-#}
{%- macro macro_recall__value(m) -%}
{{ sqlmetrics.mean_of(m, 'coalesce(tp / nullif(tp + fn, 0), 0)') }}
{%- endmacro -%}
