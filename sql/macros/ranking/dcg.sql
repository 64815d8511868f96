{#-
title: Discounted cumulative gain
answers: [top]
formula: Σ gain(relᵢ)·discount(i) over the first k items, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
uses: [gaining_items]
lower: 0
unbounded: {negative: keep}
better: higher
undefined: NULL for a group without any gain (labels of 0, or with gain='binary' no relevant item), see empty; NULL without groups
oracle: sklearn.metrics.dcg_score; ranx
source: Järvelin and Kekäläinen, TOIS 20(4), 2002
parameters:
  k: frame
  gain: frame
  discount: frame
  ties: frame
  relevant_at: frame
  negative:
    default: error
    choices: {error: is an error, zero: counts as 0, keep: lowers the sum}
    doc: a negative label
    presets: {sklearn: keep, trec_eval: zero}
    used_by: {zero: trec_eval, keep: scikit-learn}
  precision_of_scores: frame
  missing: frame
  empty: frame
names: {scikit-learn: "dcg_score"}
example: {label: [3, 2, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: dcg@3, result: 8.8928}
-#}
{%- macro dcg__per_group(m) -%}
{%- set gain = sqlmetrics.own_gain(m) if m.negative != 'keep' else 'abs(' ~ sqlmetrics.own_gain(m) ~ ')' -%}
{{ sqlmetrics.when_any_gain(gain, sqlmetrics.discounted_sum(m, sqlmetrics.gain(m))) }}
{%- endmacro -%}
