{#-
title: Normalised discounted cumulative gain
answers: [better, top]
formula: DCG / IDCG per group, IDCG that of the best order, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
uses: [ideal_rank, gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any gain (labels of 0, or with gain='binary' no relevant item), see empty; NULL without groups
oracle: sklearn.metrics.ndcg_score; trec_eval ndcg_cut; LightGBM
source: Järvelin and Kekäläinen, TOIS 20(4), 2002; Burges et al., ICML 2005 (the exponential gain)
parameters:
  k: frame
  gain: frame
  discount: frame
  ideal:
    default: judged
    choices: {judged: all judged items (without judgments all rows), listed: only the returned items}
    doc: the items of the ideal list
    presets: {sklearn: listed, trec_eval: judged, lightgbm: listed, spark: judged}
    used_by: {judged: 'trec_eval, Spark', listed: 'scikit-learn, LightGBM'}
  ideal_k:
    default: k
    choices: {k: the ideal list is cut at k too, full: the ideal list is not cut}
    doc: the length of the ideal list
  ties: frame
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty:
    default: skip
    choices: {skip: dropped from the mean, zero: counts as 0, one: counts as 1}
    doc: what a group without any gain counts as
    presets: {sklearn: zero, trec_eval: zero, lightgbm: one, spark: zero}
    used_by: {zero: 'scikit-learn, trec_eval, Spark', one: LightGBM}
names: {scikit-learn: "ndcg_score", trec_eval: "ndcg, ndcg_cut_K", LightGBM: "ndcg@K"}
example: {label: [3, 2, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: ndcg@4, result: 0.9926}
-#}
{%- macro ndcg__per_group(m) -%}
{%- set rank = 'listed_ideal_rank' if m.judged and m.ideal == 'listed' else 'ideal_rank' -%}
{{ sqlmetrics.discounted_sum(m, sqlmetrics.gain(m)) }}
    / nullif(
        {{ sqlmetrics.discounted_sum(m, sqlmetrics.own_gain(m), rank, full=m.ideal_k == 'full') }},
        0
    )
{%- endmacro -%}
