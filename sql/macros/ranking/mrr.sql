{#-
title: Mean reciprocal rank
answers: [better, top]
formula: mean over groups of 1 / the place of the first relevant item, 0 beyond k
frame: ranked_items
label_type: relevance
score: number
uses: [gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: trec_eval recip_rank, on lists cut at k
source: Voorhees, TREC-8 question answering track, 1999
parameters:
  k: frame
  ties: [worst, best, key]
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty: frame
names: {trec_eval: "recip_rank"}
example: {label: [0, 1, 1], score: [3, 2, 1], group: [1, 1, 1], result: 0.5}
-#}
{%- macro mrr__per_group(m) -%}
{%- set is_hit = 'relevant = 1 and item_rank is not null' if m.k is none else 'relevant = 1 and item_rank <= ' ~ m.k -%}
{{ sqlmetrics.when_any_relevant('max(case when ' ~ is_hit ~ ' then ' ~ sqlmetrics.to_double('1') ~ ' / item_rank else 0 end)') }}
{%- endmacro -%}
