{#-
title: Average precision (step-wise area under the precision-recall curve)
answers: [better, order, rare]
formula: Σ (Rₙ − Rₙ₋₁)·Pₙ over the distinct scores, from the highest down
frame: [ranked_scores, thresholds]
uses: [true_positives, positives_alone]
label_type: binary
score: number
lower: 0
upper: 1
better: higher
scale: the base rate is chance
undefined: NULL without positives
oracle: sklearn.metrics.average_precision_score
source: scikit-learn user guide, section 3.4.4
notes: Also called AUPRC, as is pr_auc.
parameters:
  one_class:
    type: number
    default: null
    minimum: 0
    maximum: 1
    doc: the value when one class is missing; by default NULL without positives, and 1 without negatives
    presets: {lightgbm: 1}
    used_by: {1: LightGBM}
  no_positives:
    type: number
    default: null
    minimum: 0
    maximum: 1
    doc: the value without positives; overrides one_class
    presets: {sklearn: 0}
    used_by: {0: scikit-learn}
names: {scikit-learn: "average_precision_score", LightGBM: "average_precision"}
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.8333}
-#}
{%- macro average_precision__value(m) -%}
{%- if m.frame == 'ranked_scores' -%}
{%- set value = sqlmetrics.safe_divide('sum(pos * true_positives / nullif(cumulative_share, 0))', '(count(*) * sum(pos))') -%}
{%- else -%}
{%- set value = sqlmetrics.safe_divide('sum(pos * (true_positives / nullif(true_positives + false_positives, 0)))', 'sum(pos)') -%}
{%- endif -%}
{%- if m.one_class is not none -%}
{%- set value = 'case when sum(pos) > 0 and ' ~ ('sum(pos) < count(*)' if m.frame == 'ranked_scores' else 'sum(neg) > 0') ~ ' then ' ~ value ~ ' when sum(pos) > 0 then ' ~ sqlmetrics.number(m.one_class) ~ ' end' -%}
{%- endif -%}
{%- set without = sqlmetrics.without_positives(m) -%}
{%- if m.one_class is not none and m.no_positives is none -%}
{%- set without = ', case when count(*) > 0 then ' ~ sqlmetrics.number(m.one_class) ~ ' end' -%}
{%- endif -%}
{{ 'coalesce(' ~ value ~ without ~ ')' if without else value }}
{%- endmacro -%}

{%- macro average_precision__at_fixed_ranks(m) -%}
{{ sqlmetrics.sum_of(m, 'pos * (precision_here + gained) - neg * lost') }} / nullif({{ sqlmetrics.sum_of(m, 'pos') }}, 0)
{%- endmacro -%}
