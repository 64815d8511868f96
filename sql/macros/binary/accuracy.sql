{#-
title: Accuracy
answers: [calls, classes]
formula: (TP + TN) / N
frame: rows
uses: [shares_of_all]
label_type: binary or class
score: threshold
lower: 0
upper: 1
better: higher
undefined: NULL without rows
oracle: sklearn.metrics.accuracy_score
source: scikit-learn user guide, section 3.4.4
parameters: [threshold]
names: {scikit-learn: "accuracy_score"}
example: {label: [0, 1, 1, 0], score: [0.2, 0.7, 0.4, 0.1], result: 0.75}
-#}
{%- macro accuracy__value(m) -%}
{%- if m.label_type == 'class' -%}
{{ sqlmetrics.safe_divide(sqlmetrics.sum_of(m, 'case when label_class = predicted_class then weight else 0 end'), sqlmetrics.sum_of(m, 'weight')) }}
{%- else -%}
{{ sqlmetrics.safe_divide('(' ~ sqlmetrics.true_positives(m) ~ '\n        + ' ~ sqlmetrics.true_negatives(m) ~ ')', sqlmetrics.positives_and_negatives(m)) }}
{%- endif -%}
{%- endmacro -%}
