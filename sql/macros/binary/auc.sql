{#-
title: Area under the ROC curve
answers: [better, order]
formula: P(score of a positive > score of a negative) + ½ P(the two are equal)
frame: [ranked_scores, thresholds]
uses: [steps, totals_of_weights, positives_alone]
label_type: binary
score: number
companions: {bins: [auc_lower, auc_upper]}
lower: 0
upper: 1
better: higher
scale: 0.5 is chance
undefined: NULL when one class is missing
oracle: sklearn.metrics.roc_auc_score
source: Hanley and McNeil, Radiology 143 (1982)
notes: With bins, scores are counted in equal steps instead of sorted, and auc_lower and auc_upper enclose the exact value.
parameters:
  bins: frame
  one_class:
    type: number
    default: null
    minimum: 0
    maximum: 1
    doc: the value when one class is missing; NULL by default
    presets: {lightgbm: 1, spark: 1}
    used_by: {1: 'LightGBM; Spark without negatives'}
  no_positives:
    type: number
    default: null
    minimum: 0
    maximum: 1
    doc: the value without positives; overrides one_class
    presets: {spark: 0}
    used_by: {0: Spark}
names: {scikit-learn: "roc_auc_score", LightGBM: "auc"}
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.75}
-#}
{%- macro auc__value(m) -%}
{%- set weighted = sqlmetrics.row_weight(m) != '' -%}
{%- if m.column == 'auc' and m.one_class is none and m.no_positives is none -%}
{{ sqlmetrics.area_under_roc(m.frame, weighted) }}
{%- elif m.column == 'auc' -%}
coalesce({{ sqlmetrics.area_under_roc(m.frame, weighted) }}{{ sqlmetrics.without_positives(m) }}
{%- if m.one_class is not none %}, case when count(*) > 0 then {{ sqlmetrics.number(m.one_class) }} end{% endif %})
{%- elif m.column == 'auc_lower' -%}
{{ sqlmetrics.area_under_roc(m.frame, weighted) }} - {{ sqlmetrics.doubt_of_steps(weighted) }}
{%- else -%}
{{ sqlmetrics.area_under_roc(m.frame, weighted) }} + {{ sqlmetrics.doubt_of_steps(weighted) }}
{%- endif -%}
{%- endmacro -%}

{%- macro auc__influence(m) -%}
pairs_won - {{ sqlmetrics.value_of(m) }} * (share_of_positives + share_of_negatives)
{%- endmacro -%}
