{#-
title: Recall of the whole list
answers: [found]
formula: relevant returned items / all relevant items, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
uses: [gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: trec_eval set_recall
source: van Rijsbergen, Information Retrieval, 1979, chapter 7
notes: 1 without judgments; judgments may include items that were not returned. The order of the items does not matter.
parameters:
  relevant_at: frame
  negative: frame
  missing: frame
  empty: frame
names: {trec_eval: "set_recall"}
example: {label: [1, 0], score: [2, 1], group: [1, 1], item: [a, b], judgments: {group: [1, 1], item: [a, c], label: [1, 1]}, call: set_recall, result: 0.5}
-#}
{%- macro set_recall__per_group(m) -%}
{{ sqlmetrics.safe_divide(sqlmetrics.hits_returned(), 'sum(relevant)') }}
{%- endmacro -%}
