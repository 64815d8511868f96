{#-
title: Ideal discounted cumulative gain
answers: [top]
formula: the DCG of the best order, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
uses: [ideal_rank, gaining_items]
lower: 0
undefined: NULL for a group without any gain (labels of 0, or with gain='binary' no relevant item), see empty; NULL without groups
oracle: sklearn.metrics.dcg_score of the labels themselves
source: Järvelin and Kekäläinen, TOIS 20(4), 2002
parameters:
  k: frame
  gain: frame
  discount: frame
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing:
    default: zero
    choices: {zero: has the ideal of its judgments, skip: dropped from the mean}
    doc: 'a judged group without a returned item, or without one that matches `where`; it counts overall, in no slice'
    presets: {trec_eval: skip, spark: zero}
  empty: frame
example: {label: [3, 2, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: idcg@3, result: 9.3928}
-#}
{%- macro idcg__per_group(m) -%}
nullif({{ sqlmetrics.discounted_sum(m, sqlmetrics.own_gain(m), 'ideal_rank') }}, 0)
{%- endmacro -%}
