{#-
title: Normalised discounted cumulative gain
formula: DCG / IDCG per group, IDCG that of the best order, then the mean over groups
frame: ranked_items
uses: [ideal_rank]
truth: relevance
score: number
range: 0 to 1, higher is better
undefined: NULL for a group without any gain, see empty; NULL without groups
oracle: sklearn.metrics.ndcg_score; trec_eval ndcg_cut; LightGBM
source: Järvelin and Kekäläinen, TOIS 20(4), 2002; Burges et al., ICML 2005 (the exponential gain)
parameters:
  k: frame
  gain: frame
  discount: frame
  ideal_k:
    default: k
    choices: {k: the ideal list is cut at k too, full: the ideal list is not cut}
    doc: how long the ideal list is
  ties: frame
  empty: frame
example: {label: [3, 2, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: ndcg@4, result: 0.9926}
-#}
{%- macro ndcg__per_group(m) -%}
{{ sqlmetrics.discounted_gain(m) }}
    / nullif({{ sqlmetrics.ideal_discounted_gain(m, m.k if m.ideal_k == 'k' else none) }}, 0)
{%- endmacro -%}
