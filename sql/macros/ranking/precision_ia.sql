{#-
title: Intent-aware precision at k
answers: [varied, top]
formula: mean over the subtopics of the relevant items among the first k / k, then the mean over groups
frame: subtopic_items
label_type: relevance
score: number
roles: {item: required, subtopic: required}
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: P-IA of ndeval (its formula)
source: Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009; ndeval of the TREC Web Track
notes: Each row is an item and one subtopic for which it was judged. An item counts once in the list and needs at least one row. An item without a relevant subtopic has a row with label 0 or without a subtopic. With judgments, these rows are in judgments, and the data has one row per item. Equal scores are ordered by tie_key, by default the item, descending (in pyndeval ascending). All subtopics with a relevant item are equally likely; lists shorter than k are divided by k too.
parameters:
  k: {type: integer, required: true, minimum: 1, doc: how many items from the top}
  relevant_at: frame
  missing: frame
  empty: frame
names: {ir_measures: "P_IA"}
example: {group: [1, 1, 1, 1], item: [a, b, b, c], subtopic: [x, x, y, y], label: [1, 1, 1, 0], score: [3, 2, 2, 1], call: precision_ia@2, result: 0.75}
-#}
{%- macro precision_ia__per_group(m) -%}
{{ sqlmetrics.to_double(sqlmetrics.sum_within('relevant', 'item_rank', m.k)) }} / {{ m.k }}
{%- endmacro -%}
