{#-
title: Cumulative gain
answers: [top]
formula: Σ gain(relᵢ) over the first k items, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
uses: [gaining_items]
lower: 0
better: higher
undefined: NULL for a group without any gain (labels of 0, or with gain='binary' no relevant item), see empty; NULL without groups
oracle: by hand
source: Järvelin and Kekäläinen, TOIS 20(4), 2002
parameters:
  k: frame
  gain: frame
  ties: frame
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty: frame
example: {label: [3, 2, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: cg@3, result: 10.0}
-#}
{%- macro cg__per_group(m) -%}
{{ sqlmetrics.when_any_gain(sqlmetrics.own_gain(m), sqlmetrics.sum_within(sqlmetrics.gain(m), 'item_rank', m.k)) }}
{%- endmacro -%}
