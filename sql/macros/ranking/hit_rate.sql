{#-
title: Hit rate
answers: [top, found]
formula: share of the groups with a relevant item among the first k
frame: ranked_items
label_type: relevance
score: number
uses: [gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: ranx hit_rate
source: Deshpande and Karypis, TOIS 22(1), 2004
parameters:
  k: frame
  ties: [worst, best, key]
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty: frame
names: {trec_eval: "success_K"}
example: {label: [1, 0, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: hit_rate@2, result: 1.0}
-#}
{%- macro hit_rate__per_group(m) -%}
{%- set is_hit = 'relevant = 1 and item_rank is not null' if m.k is none else 'relevant = 1 and item_rank <= ' ~ m.k -%}
{{ sqlmetrics.when_any_relevant('max(case when ' ~ is_hit ~ ' then ' ~ sqlmetrics.to_double('1') ~ ' else 0 end)') }}
{%- endmacro -%}
