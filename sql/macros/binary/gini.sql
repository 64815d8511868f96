{#-
title: Gini coefficient
answers: [order]
formula: 2·AUC − 1
frame: [ranked_scores, thresholds]
uses: [totals_of_weights, positives_alone]
label_type: binary
score: number
lower: -1
upper: 1
better: higher
scale: 0 is chance
undefined: NULL when one class is missing
oracle: 2 · sklearn.metrics.roc_auc_score − 1
source: Hand and Till, Machine Learning 45 (2001)
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.5}
-#}
{%- macro gini__value(m) -%}
2 * ({{ sqlmetrics.area_under_roc(m.frame, sqlmetrics.row_weight(m) != '') }}) - 1
{%- endmacro -%}

{%- macro gini__influence(m) -%}
2 * pairs_won - ({{ sqlmetrics.value_of(m) }} + 1) * (share_of_positives + share_of_negatives)
{%- endmacro -%}
