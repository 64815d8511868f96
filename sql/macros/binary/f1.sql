{#-
title: F1, the harmonic mean of precision and recall
answers: [calls]
formula: 2·TP / (2·TP + FN + FP)
frame: rows
label_type: binary
score: threshold
lower: 0
upper: 1
better: higher
undefined: NULL when TP, FN and FP are all 0 (zero_division replaces it)
oracle: sklearn.metrics.f1_score
source: scikit-learn user guide, section 3.4.4
parameters: [threshold, zero_division]
names: {scikit-learn: "f1_score"}
example: {label: [0, 1, 1, 0], score: [0.6, 0.7, 0.4, 0.1], result: 0.5}
-#}
{%- macro f1__value(m) -%}
{{ sqlmetrics.divided_or(m, '2 * ' ~ sqlmetrics.true_positives(m), '(' ~ sqlmetrics.positives(m) ~ ' + ' ~ sqlmetrics.rows_called_positive(m) ~ ')') }}
{%- endmacro -%}
