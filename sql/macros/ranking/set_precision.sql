{#-
title: Precision of the whole list
answers: [top]
formula: relevant returned items / returned items, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
uses: [gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: trec_eval set_P
source: van Rijsbergen, Information Retrieval, 1979, chapter 7
notes: For lists without a cut at k. The order of the items does not matter.
parameters:
  relevant_at: frame
  negative: frame
  missing: frame
  empty: frame
names: {trec_eval: "set_P"}
example: {label: [1, 0, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: set_precision, result: 0.5}
-#}
{%- macro set_precision__per_group(m) -%}
{{ sqlmetrics.when_any_relevant('coalesce(' ~ sqlmetrics.hits_returned() ~ ' / ' ~ sqlmetrics.items_returned(m) ~ ', 0)') }}
{%- endmacro -%}
