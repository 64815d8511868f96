{#-
title: True positive rate at a false positive rate
answers: [rare, cut_off]
formula: largest TPR of the thresholds at which FPR ≤ fpr
frame: thresholds
uses: [totals, positives_alone]
label_type: binary
score: number
lower: 0
upper: 1
better: higher
undefined: NULL when one class is missing
oracle: sklearn.metrics.roc_curve
source: Metz, Seminars in Nuclear Medicine 8 (1978)
parameters:
  fpr: {type: number, required: true, minimum: 0, maximum: 1, doc: the highest allowed false positive rate}
notes: Values between thresholds are not interpolated. A rate within 1e-9 above it counts as allowed.
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], call: tpr_at_fpr(fpr=0.1), result: 0.5}
-#}
{#- A threshold above all scores has both rates 0. -#}
{%- macro tpr_at_fpr__value(m) -%}
max(case when negatives > 0 then case when {{ sqlmetrics.at_most('false_positives / negatives', m.fpr) }}
        then true_positives else 0 end end / nullif(positives, 0))
{%- endmacro -%}
