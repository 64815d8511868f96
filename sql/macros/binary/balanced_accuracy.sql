{#-
title: Balanced accuracy
answers: [rare, calls]
formula: (TPR + TNR) / 2
frame: rows
truth: binary
score: threshold
range: 0 to 1, 0.5 is chance, higher is better
undefined: NULL when one class is missing
oracle: sklearn.metrics.balanced_accuracy_score
source: scikit-learn user guide, section 3.4.4
parameters: [threshold]
names: {scikit-learn: "balanced_accuracy_score"}
example: {label: [0, 1, 1, 0], score: [0.6, 0.7, 0.4, 0.1], result: 0.5}
-#}
{%- macro balanced_accuracy__value(m) -%}
({{ sqlmetrics.safe_divide(sqlmetrics.true_positives(m), sqlmetrics.positives(m)) }} + {{ sqlmetrics.safe_divide(sqlmetrics.true_negatives(m), sqlmetrics.negatives(m)) }}) / 2
{%- endmacro -%}
