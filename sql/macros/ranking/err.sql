{#-
title: Expected reciprocal rank
answers: [top]
formula: Σ Rᵢ/i · Π over the items above of (1 − Rⱼ), R = (2^label − 1) / 2^max_label, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
uses: [log_continuation, gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any gain (labels of 0), see empty; NULL without groups
oracle: by hand
source: Chapelle et al., CIKM 2009
parameters:
  k: frame
  max_label: {type: number, required: true, minimum: 0, doc: the highest possible grade}
  ties: [worst, best, key]
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty: frame
example: {label: [3, 2, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: 'err(max_label=3)', result: 0.9009}
-#}
{%- macro err__per_group(m) -%}
{%- set stops_here = sqlmetrics.stop_probability('label', m.max_label) ~ ' * exp(greatest(log_continuation, -700)) / item_rank' -%}
{{ sqlmetrics.when_any_gain('label', sqlmetrics.sum_within(stops_here, 'item_rank', m.k)) }}
{%- endmacro -%}
