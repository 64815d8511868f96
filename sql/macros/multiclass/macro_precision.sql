{#-
title: Macro precision
answers: [classes]
formula: mean over classes of TP / (TP + FP)
frame: class_counts
label_type: class
score: class
lower: 0
upper: 1
better: higher
undefined: NULL without rows; an undefined class value counts 0
oracle: sklearn.metrics.precision_score(average='macro')
source: scikit-learn user guide, section 3.4.4
names: {scikit-learn: "precision_score(average='macro')"}
example: {label: [a, a, b, c], prediction: [a, b, b, c], result: 0.8333}
-#}
{%- macro macro_precision__value(m) -%}
{{ sqlmetrics.mean_of(m, 'coalesce(tp / nullif(tp + fp, 0), 0)') }}
{%- endmacro -%}
