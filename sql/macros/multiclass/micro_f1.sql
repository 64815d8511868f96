{#-
title: Micro F1
answers: [classes]
formula: 2·Σ TP / Σ (2·TP + FP + FN) over classes
frame: class_counts
label_type: class
score: class
lower: 0
upper: 1
better: higher
undefined: NULL without rows
oracle: sklearn.metrics.f1_score(average='micro')
source: scikit-learn user guide, section 3.4.4
names: {scikit-learn: "f1_score(average='micro')"}
example: {label: [a, a, b, c], prediction: [a, b, b, c], result: 0.75}
-#}
{%- macro micro_f1__value(m) -%}
{{ sqlmetrics.safe_divide('2 * ' ~ sqlmetrics.sum_of(m, 'tp'), sqlmetrics.sum_of(m, '2 * tp + fp + fn')) }}
{%- endmacro -%}
