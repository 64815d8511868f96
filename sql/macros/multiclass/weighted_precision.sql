{#-
title: Support-weighted precision
answers: [classes]
formula: Σ support·precision of the class / Σ support, support = TP + FN
frame: class_counts
label_type: class
score: class
lower: 0
upper: 1
better: higher
undefined: NULL without rows; an undefined class value counts 0
oracle: sklearn.metrics.precision_score(average='weighted')
source: scikit-learn user guide, section 3.4.4
names: {scikit-learn: "precision_score(average='weighted')"}
example: {label: [a, a, b, c], prediction: [a, b, b, c], result: 0.875}
-#}
{%- macro weighted_precision__value(m) -%}
{{ sqlmetrics.safe_divide(sqlmetrics.sum_of(m, '(tp + fn) * coalesce(tp / nullif(tp + fp, 0), 0)'), sqlmetrics.sum_of(m, 'tp + fn')) }}
{%- endmacro -%}
