{#-
title: Precision at k
formula: relevant items among the first k / k, then the mean over groups
frame: ranked_items
truth: relevance
score: number
range: 0 to 1, higher is better
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: trec_eval P; ranx precision
source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4
parameters:
  k: {type: integer, required: true, minimum: 1, doc: how many items from the top; a shorter list still divides by k}
  ties: frame
  relevant_at: frame
  empty: frame
example: {label: [1, 0, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: precision@2, result: 0.5}
-#}
{%- macro precision_at_k__per_group(m) -%}
{{ sqlmetrics.when_any_relevant(sqlmetrics.sum_within(sqlmetrics.relevance(m), 'item_rank', m.k) ~ ' / ' ~ m.k) }}
{%- endmacro -%}
