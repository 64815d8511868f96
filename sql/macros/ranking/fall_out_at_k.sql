{#-
title: Fall-out at k
answers: [top]
formula: items among the first k that are not relevant / all items that are not relevant, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
lower: 0
upper: 1
better: lower
undefined: NULL for a group without any item that is not relevant, see empty; NULL without groups
oracle: trec_eval recall, of the items that are not relevant
source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.3
notes: The false positive rate of a list that ends at k. A returned item without a judgment is not relevant.
parameters:
  k: {type: integer, required: true, minimum: 1, doc: how many items from the top}
  ties: frame
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty:
    default: skip
    choices: {skip: dropped from the mean, zero: counts as 0, one: counts as 1}
    doc: what a group without any item that is not relevant counts as
example: {label: [1, 0, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: fall_out@2, result: 0.5}
-#}
{%- macro fall_out_at_k__per_group(m) -%}
{{ sqlmetrics.safe_divide(sqlmetrics.sum_within('1 - ' ~ sqlmetrics.relevance(m), 'item_rank', m.k), 'sum(1 - relevant)') }}
{%- endmacro -%}
