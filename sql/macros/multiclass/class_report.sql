{#-
title: Precision, recall and F1 of every class
answers: [confused]
formula: one row per class, its precision, recall, f1 and support (TP + FN)
frame: class_counts
label_type: class
score: class
table: true
columns: [class, precision, recall, f1, support]
order: [class]
lower: 0
upper: 1
better: higher
intervals:
  row_key: class
  sums: {tp: tp local, predicted: tp + fp local, labelled: tp + fn local, twice: 2 * tp local, of_both: 2 * tp + fp + fn local}
  ratios: {precision: tp / predicted, recall: tp / labelled, f1: twice / of_both}
undefined: an undefined value of a class is 0
oracle: sklearn.metrics.classification_report
source: scikit-learn user guide, section 3.4.4
names: {scikit-learn: "classification_report"}
example: {label: [a, a, b, c], prediction: [a, b, b, c], column: recall, result: [0.5, 1.0, 1.0]}
-#}
{%- macro class_report__table(m, f, keys) -%}
select
    {{ sqlmetrics.select_list(keys + [
        'class',
        'coalesce(tp / nullif(tp + fp, 0), 0) as ' ~ sqlmetrics.identifier('precision'),
        'coalesce(tp / nullif(tp + fn, 0), 0) as recall',
        'coalesce(2 * tp / nullif(2 * tp + fp + fn, 0), 0) as f1',
        'tp + fn as support',
    ]) }}
from {{ f.cte }}
{%- endmacro -%}

{%- macro class_report__cells(m, f, rows_from, keys, carried) -%}
{{ sqlmetrics.rows_in_classes(f, rows_from, keys, carried) }}
{%- endmacro -%}
