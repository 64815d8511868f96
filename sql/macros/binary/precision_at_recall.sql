{#-
title: Precision at a recall
answers: [rare, cut_off]
formula: largest precision of the thresholds at which recall ≥ recall
frame: thresholds
uses: [totals, positives_alone]
label_type: binary
score: number
lower: 0
upper: 1
better: higher
undefined: NULL without positives
oracle: sklearn.metrics.precision_recall_curve
source: Eban et al., AISTATS 2017
parameters:
  recall: {type: number, required: true, minimum: 0, maximum: 1, doc: the recall to reach}
notes: Values between thresholds are not interpolated. A recall within 1e-9 below it counts as reaching it.
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], call: precision_at_recall(recall=0.9), result: 0.6667}
-#}
{%- macro precision_at_recall__value(m) -%}
max(case when {{ sqlmetrics.at_least('true_positives / nullif(positives, 0)', m.recall) }}
        then true_positives / nullif(true_positives + false_positives, 0) end)
{%- endmacro -%}
