{#-
title: AUC of every group
answers: [order_in_groups]
formula: one row per group, its AUC, rows and positives
frame: group_scores
label_type: binary
score: number
table: true
columns: [group, auc, rows, positives]
order: [group_id]
lower: 0
upper: 1
better: higher
scale: 0.5 is chance
undefined: auc is NULL in a group with one class only
oracle: a loop of sklearn.metrics.roc_auc_score over the groups
source: Zhu et al., KDD 2017 (Optimized Cost per Click)
notes: '`group` has the name of its column in the data. `rows` counts the rows of the data, and `positives` are weighted; for pre-aggregated rows both count the original rows.'
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.5, 0.2], group: [1, 1, 2, 2], column: auc, result: [1.0, 0.0]}
-#}
{%- macro group_auc__table(m, f, keys) -%}
select
    {{ sqlmetrics.select_list(keys + ['group_id', 'auc', sqlmetrics.rows_of_table(m, 'weight'), 'positives']) }}
from {{ f.cte }}
{%- endmacro -%}
