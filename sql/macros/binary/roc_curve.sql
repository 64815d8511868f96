{#-
title: ROC curve
answers: [order, cut_off]
formula: true and false positive rate at every distinct score, from the highest down
frame: thresholds
uses: [totals, points, below]
label_type: binary
score: number
table: true
columns: [threshold, tp, fp, fn, tn, tpr, fpr, precision, recall]
order: [threshold desc, tp, fp]
scale: rates 0 to 1
intervals:
  row_key: row_key
  order: desc
  sums: {tp: pos cumulative, fp: neg cumulative, called: pos + neg cumulative, positives: pos total, negatives: neg total}
  ratios: {tpr: tp / positives, fpr: fp / negatives, precision: tp / called, recall: tp / positives}
undefined: a rate is NULL where its denominator is 0
oracle: sklearn.metrics.roc_curve
source: scikit-learn user guide, section 3.4.4
parameters: [points]
names: {scikit-learn: "roc_curve(drop_intermediate=False)"}
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], column: tpr, result: [0.0, 0.5, 0.5, 1.0, 1.0]}
-#}
{%- macro roc_curve__table(m, f, keys) -%}
{{ sqlmetrics.threshold_rows(m, f, keys) }}
{%- endmacro -%}

{%- macro roc_curve__cells(m, f, rows_from, keys, carried) -%}
{{ sqlmetrics.rows_at_thresholds(m, f, rows_from, keys, carried) }}
{%- endmacro -%}
