{#-
title: Average precision (step-wise area under the precision-recall curve)
formula: Σ (Rₙ − Rₙ₋₁)·Pₙ over the distinct scores, from the highest down
frame: [ranked_scores, thresholds]
uses: [true_positives]
truth: binary
score: number
range: 0 to 1, the base rate is chance, higher is better
undefined: NULL without positives
oracle: sklearn.metrics.average_precision_score
source: scikit-learn user guide, section 3.4.4
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.8333}
-#}
{%- macro average_precision__value(m) -%}
{%- if m.frame == 'ranked_scores' -%}
{{ sqlmetrics.safe_divide('sum(pos * true_positives / nullif(share_through, 0))', '(count(*) * sum(pos))') }}
{%- else -%}
{{ sqlmetrics.safe_divide('sum(pos * true_positives / nullif(true_positives + false_positives, 0))', 'sum(pos)') }}
{%- endif -%}
{%- endmacro -%}
