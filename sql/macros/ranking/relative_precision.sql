{#-
title: Relative precision
answers: [found]
formula: relevant items among the first k / the most that there can be, min(k, R), R the relevant items of the group; then the mean over groups
frame: ranked_items
label_type: relevance
score: number
uses: [gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: trec_eval relative_P and set_relative_P
source: trec_eval, m_rel_P.c and m_set_rel_P.c
notes: Precision up to R items, recall beyond. Without k the divisor is the smaller of the returned items and R.
parameters:
  k: frame
  ties: [worst, best, key]
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty: frame
names: {trec_eval: "set_relative_P, relative_P_K"}
example: {label: [1, 0, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: relative_precision@3, result: 0.5}
-#}
{%- macro relative_precision__per_group(m) -%}
{%- set length = sqlmetrics.items_of_list(m) if m.k is none else m.k -%}
{%- set most = 'nullif(least(' ~ length ~ ', sum(relevant)), 0)' -%}
{{ sqlmetrics.when_any_relevant('coalesce(' ~ sqlmetrics.sum_within('relevant', 'item_rank', m.k) ~ '\n            / ' ~ most ~ ', 0)') }}
{%- endmacro -%}
