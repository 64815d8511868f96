{#-
title: Multi-class confusion matrix, in long form
answers: [confused]
formula: one row per pair of label and prediction that occurs, with its (weighted) count
frame: class_pairs
label_type: class
score: class
table: true
columns: [label, prediction, count]
order: [label, prediction]
lower: 0
undefined: pairs that do not occur are dropped
oracle: sklearn.metrics.confusion_matrix
source: scikit-learn user guide, section 3.4.4
names: {scikit-learn: "confusion_matrix (multi-class)"}
example: {label: [a, a, b, c], prediction: [a, b, b, c], column: count, result: [1.0, 1.0, 1.0, 1.0]}
-#}
{%- macro class_confusion__table(m, f, keys) -%}
select
    {{ sqlmetrics.select_list(keys + [
        'label_class as label',
        'predicted_class as prediction',
        'weight as ' ~ sqlmetrics.identifier('count'),
    ]) }}
from {{ f.cte }}
{%- endmacro -%}
