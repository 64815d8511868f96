{#-
title: Balanced accuracy of several classes
answers: [classes, rare]
formula: mean over the classes of the labels of TP / (TP + FN)
frame: class_counts
label_type: class
score: class
lower: 0
upper: 1
better: higher
undefined: NULL without rows
oracle: sklearn.metrics.balanced_accuracy_score
source: scikit-learn user guide, section 3.4.4
notes: macro_recall also counts a class that was only predicted, as 0.
names: {scikit-learn: "balanced_accuracy_score (multi-class)"}
example: {label: [a, a, b, c], prediction: [a, b, b, d], result: 0.5}
-#}
{%- macro multi_balanced_accuracy__value(m) -%}
{{ sqlmetrics.mean_of(m, 'tp / nullif(tp + fn, 0)') }}
{%- endmacro -%}
