{#-
title: Average precision of the whole list as a set
answers: [top, found]
formula: precision · recall of the list, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
uses: [gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: trec_eval set_map
source: trec_eval, m_set_map.c
parameters:
  relevant_at: frame
  negative: frame
  missing: frame
  empty: frame
names: {trec_eval: "set_map"}
example: {label: [1, 0, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: set_map, result: 0.5}
-#}
{%- macro set_map__per_group(m) -%}
{%- set quotient -%}
coalesce(
    {{ sqlmetrics.hits_returned() }} * {{ sqlmetrics.hits_returned() }}
    / ({{ sqlmetrics.items_returned(m) }} * sum(relevant)),
    0
)
{%- endset -%}
{{ sqlmetrics.when_any_relevant(quotient) }}
{%- endmacro -%}
