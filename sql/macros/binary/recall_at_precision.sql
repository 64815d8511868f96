{#-
title: Recall at a precision
answers: [rare, cut_off]
formula: largest recall of the thresholds at which precision ≥ precision, 0 where none reaches it
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
  precision: {type: number, required: true, minimum: 0, maximum: 1, doc: the precision to reach}
notes: Values between thresholds are not interpolated. A precision within 1e-9 below it counts as reaching it.
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], call: recall_at_precision(precision=0.9), result: 0.5}
-#}
{%- macro recall_at_precision__value(m) -%}
max(case when {{ sqlmetrics.at_least('true_positives / nullif(true_positives + false_positives, 0)', m.precision) }}
        then true_positives else 0 end / nullif(positives, 0))
{%- endmacro -%}
