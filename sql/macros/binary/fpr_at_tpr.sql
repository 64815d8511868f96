{#-
title: False positive rate at a true positive rate
answers: [rare, cut_off]
formula: smallest FPR of the thresholds at which TPR ≥ tpr
frame: thresholds
uses: [totals, positives_alone]
label_type: binary
score: number
lower: 0
upper: 1
better: lower
undefined: NULL when one class is missing
oracle: sklearn.metrics.roc_curve
source: Hendrycks and Gimpel, ICLR 2017 (FPR at 95% TPR)
parameters:
  tpr: {type: number, default: 0.95, minimum: 1.0e-6, maximum: 1, doc: the true positive rate to reach}
notes: Values between thresholds are not interpolated. A rate within 1e-9 below it counts as reaching it.
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.5}
-#}
{%- macro fpr_at_tpr__value(m) -%}
min(case when {{ sqlmetrics.at_least('true_positives / nullif(positives, 0)', m.tpr) }} then false_positives / nullif(negatives, 0) end)
{%- endmacro -%}
