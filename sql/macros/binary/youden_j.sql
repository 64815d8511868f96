{#-
title: Youden's J (informedness)
answers: [calls, cut_off]
formula: TPR + TNR − 1
frame: rows
label_type: binary
score: threshold
lower: -1
upper: 1
better: higher
scale: 0 is chance
undefined: NULL when one class is missing
oracle: sklearn.metrics.balanced_accuracy_score(adjusted=True)
source: Youden, Cancer 3 (1950)
parameters: [threshold]
notes: Its largest value over all thresholds is ks.
names: {scikit-learn: "balanced_accuracy_score(adjusted=True)"}
example: {label: [0, 1, 1, 0], score: [0.2, 0.7, 0.4, 0.1], result: 0.5}
-#}
{%- macro youden_j__value(m) -%}
{{ sqlmetrics.safe_divide(sqlmetrics.true_positives(m), sqlmetrics.positives(m)) }}
    + {{ sqlmetrics.safe_divide(sqlmetrics.true_negatives(m), sqlmetrics.negatives(m)) }}
    - 1
{%- endmacro -%}
