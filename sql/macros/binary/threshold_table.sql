{#-
title: Threshold table
answers: [cut_off, top_share]
formula: confusion counts and rates at every distinct score, from the highest down
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
oracle: sklearn.metrics.confusion_matrix at each threshold
source: scikit-learn user guide, section 3.4.4
parameters: [points]
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], column: fp, result: [0.0, 0.0, 1.0, 1.0, 2.0]}
-#}
{%- macro threshold_table__table(m, f, keys) -%}
{{ sqlmetrics.threshold_rows(m, f, keys) }}
{%- endmacro -%}

{%- macro threshold_table__cells(m, f, rows_from, keys, carried) -%}
{{ sqlmetrics.rows_at_thresholds(m, f, rows_from, keys, carried) }}
{%- endmacro -%}
