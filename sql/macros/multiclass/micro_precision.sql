{#-
title: Micro precision
answers: [classes]
formula: Σ TP / Σ (TP + FP) over classes
frame: class_counts
label_type: class
score: class
lower: 0
upper: 1
better: higher
undefined: NULL without rows
oracle: sklearn.metrics.precision_score(average='micro')
source: scikit-learn user guide, section 3.4.4
names: {scikit-learn: "precision_score(average='micro')"}
example: {label: [a, a, b, c], prediction: [a, b, b, c], result: 0.75}
-#}
{%- macro micro_precision__value(m) -%}
{{ sqlmetrics.safe_divide(sqlmetrics.sum_of(m, 'tp'), sqlmetrics.sum_of(m, 'tp + fp')) }}
{%- endmacro -%}
