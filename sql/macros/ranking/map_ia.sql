{#-
title: Intent-aware mean average precision
answers: [varied, found]
formula: mean over the subtopics of the average precision of the list for each, Σ over its relevant items of (relevant items down to here / place) / its relevant items, then the mean over groups
frame: subtopic_items
label_type: relevance
score: number
roles: {item: required, subtopic: required}
uses: [relevant_above]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: MAP-IA of ndeval (its formula)
source: Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009; ndeval of the TREC Web Track
notes: Each row is an item and one subtopic for which it was judged. An item counts once in the list and needs at least one row. An item without a relevant subtopic has a row with label 0 or without a subtopic. With judgments, these rows are in judgments, and the data has one row per item. Equal scores are ordered by tie_key, by default the item, descending (in pyndeval ascending). All subtopics with a relevant item are equally likely; the divisor includes relevant items below k.
parameters:
  k: frame
  relevant_at: frame
  missing: frame
  empty: frame
names: {ir_measures: "AP_IA"}
example: {group: [1, 1, 1, 1], item: [a, b, b, c], subtopic: [x, x, y, y], label: [1, 1, 1, 0], score: [3, 2, 2, 1], result: 0.75}
-#}
{%- macro map_ia__per_group(m) -%}
{{ sqlmetrics.sum_within('relevant * (relevant_above + 1) / item_rank', 'item_rank', m.k) }}
    / nullif(sum(relevant), 0)
{%- endmacro -%}
