{#-
title: Area under the ROC curve
formula: P(score of a positive > score of a negative) + ½ P(the two are equal)
frame: [ranked_scores, thresholds]
truth: binary
score: number
range: 0 to 1, 0.5 is chance, higher is better
undefined: NULL when one class is missing
oracle: sklearn.metrics.roc_auc_score
source: Hanley and McNeil, Radiology 143 (1982)
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.75}
-#}
{%- macro auc__value(m) -%}
{{ sqlmetrics.area_under_roc(m.frame) }}
{%- endmacro -%}
