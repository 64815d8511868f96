{#-
title: R-precision
answers: [found]
formula: relevant items among the first R / R, R the relevant items of the group
frame: ranked_items
label_type: relevance
score: number
uses: [relevant_total, gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: trec_eval Rprec
source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4
parameters:
  ties: [worst, best, key]
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty: frame
names: {trec_eval: "Rprec"}
example: {label: [1, 0, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: r_precision, result: 0.5}
-#}
{%- macro r_precision__per_group(m) -%}
{{ sqlmetrics.safe_divide('sum(case when item_rank <= relevant_total then relevant else 0 end)', 'sum(relevant)') }}
{%- endmacro -%}
