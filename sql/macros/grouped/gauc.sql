{#-
title: Group AUC, the mean over groups of the AUC inside each group
answers: [better, order_in_groups]
formula: Σ wᵤ·AUCᵤ / Σ wᵤ over the groups that hold both classes
frame: group_scores
label_type: binary
score: number
lower: 0
upper: 1
better: higher
scale: 0.5 is chance
undefined: NULL when no group holds both classes
oracle: a loop of sklearn.metrics.roc_auc_score over the groups
source: Zhu et al., KDD 2017 (Optimized Cost per Click)
parameters:
  weights:
    default: rows
    choices: {rows: the (weighted) rows of the group, positives: its (weighted) positives, uniform: each group counts the same}
    doc: wᵤ, the weight of a group
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.5, 0.2], group: [1, 1, 2, 2], result: 0.5}
-#}
{%- macro gauc__value(m) -%}
{%- if m.weights == 'uniform' -%}
{{ sqlmetrics.mean_of(m, 'auc') }}
{%- else -%}
{%- set group_weight = 'weight' if m.weights == 'rows' else 'positives' -%}
{{ sqlmetrics.safe_divide(sqlmetrics.sum_of(m, group_weight ~ ' * auc'), sqlmetrics.sum_of(m, 'case when auc is not null then ' ~ group_weight ~ ' end')) }}
{%- endif -%}
{%- endmacro -%}


{%- macro gauc__per_group(m) -%}
auc
{%- endmacro -%}
