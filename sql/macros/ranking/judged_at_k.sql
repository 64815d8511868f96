{#-
title: Judged at k
answers: [found]
formula: judged items among the first k / items among the first k, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
uses: [has_judgment]
lower: 0
upper: 1
scale: of a list to trust the others on it is near 1
undefined: NULL without groups
oracle: trec_eval set_P of the judged items; ir_measures Judged
source: ir_measures, Judged
notes: "With judgments, the share of a list that is judged; other metrics count an item without a judgment as not relevant. A negative label marks an item that was never read."
parameters:
  k: {type: integer, required: true, minimum: 1, doc: how many items from the top; a shorter list is used as it is}
  ties: [worst, best, key]
  negative: frame
  precision_of_scores: frame
  missing: frame
example: {label: [1, 0], score: [2, 1], group: [1, 1], item: [a, b], judgments: {group: [1, 1], item: [a, c], label: [1, 1]}, call: judged@2, result: 0.5}
-#}
{%- macro judged_at_k__per_group(m) -%}
{%- set listed = sqlmetrics.sum_within('1', 'item_rank', m.k) -%}
coalesce(
        {{ sqlmetrics.sum_within('has_judgment', 'item_rank', m.k) }}
        / nullif({{ sqlmetrics.to_double(listed) }}, 0),
        0
    )
{%- endmacro -%}
