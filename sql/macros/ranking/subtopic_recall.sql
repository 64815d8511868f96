{#-
title: Subtopic recall at k
answers: [varied, found]
formula: subtopics with a relevant item among the first k / subtopics with a relevant item, then the mean over groups
frame: subtopic_items
label_type: relevance
score: number
roles: {item: required, subtopic: required}
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: strec of ndeval (its formula)
source: Zhai, Cohen and Lafferty, SIGIR 2003 (S-recall)
notes: Each row is an item and one subtopic for which it was judged. An item counts once in the list and needs at least one row. An item without a relevant subtopic has a row with label 0 or without a subtopic. With judgments, these rows are in judgments, and the data has one row per item. Equal scores are ordered by tie_key, by default the item, descending (in pyndeval ascending). A subtopic counts if some row of the group, also below k, or a judgment is relevant for it.
parameters:
  k: {type: integer, required: true, minimum: 1, doc: how many items from the top}
  relevant_at: frame
  missing: frame
  empty: frame
names: {ir_measures: "StRecall", ndeval: "strec"}
example: {group: [1, 1, 1, 1], item: [a, b, b, c], subtopic: [x, x, y, z], label: [1, 1, 0, 1], score: [3, 2, 2, 1], call: subtopic_recall@2, result: 0.5}
-#}
{%- macro subtopic_recall__per_group(m) -%}
max(case when item_rank <= {{ m.k }} then relevant else 0 end)
{%- endmacro -%}
