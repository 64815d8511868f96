{#-
title: Error rate
answers: [calls]
formula: (FP + FN) / N
frame: rows
uses: [shares_of_all]
label_type: binary or class
score: threshold
lower: 0
upper: 1
better: lower
undefined: NULL without rows
oracle: 1 - sklearn.metrics.accuracy_score
source: scikit-learn user guide, section 3.4.4
parameters: [threshold]
names: {LightGBM: "binary_error, multi_error (without ties)"}
example: {label: [0, 1, 1, 0], score: [0.2, 0.7, 0.4, 0.1], result: 0.25}
-#}
{%- macro error_rate__value(m) -%}
{%- if m.label_type == 'class' -%}
{{ sqlmetrics.safe_divide(sqlmetrics.sum_of(m, 'case when label_class = predicted_class then 0 else weight end'), sqlmetrics.sum_of(m, 'weight')) }}
{%- else -%}
{{ sqlmetrics.safe_divide('(' ~ sqlmetrics.false_positives(m) ~ '\n        + ' ~ sqlmetrics.false_negatives(m) ~ ')', sqlmetrics.positives_and_negatives(m)) }}
{%- endif -%}
{%- endmacro -%}
