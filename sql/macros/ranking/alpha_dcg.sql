{#-
title: Novelty-aware discounted cumulative gain (α-DCG)
answers: [varied, top]
formula: Σ over the first k items i of discount(i) · Σ over the subtopics for which it is relevant of (1 − alpha)^c, c the relevant items above for the same subtopic, then the mean over groups
frame: subtopic_items
label_type: relevance
score: number
roles: {item: required, subtopic: required}
uses: [relevant_above, subtopics_added]
lower: 0
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: alpha-DCG of ndeval (its formula)
source: Clarke et al., SIGIR 2008; ndeval of the TREC Web Track
notes: Each row is an item and one subtopic for which it was judged. An item counts once in the list and needs at least one row. An item without a relevant subtopic has a row with label 0 or without a subtopic. With judgments, these rows are in judgments, and the data has one row per item. Equal scores are ordered by tie_key, by default the item, descending (in pyndeval ascending). ndeval and ir_measures divide it by the number of subtopics times Σ discount(i)·(1 − alpha)^(i − 1) over the first k places.
parameters:
  k: frame
  alpha: frame
  relevant_at: frame
  missing: frame
  empty: frame
names: {ir_measures: "alpha_DCG"}
example: {group: [1, 1, 1, 1], item: [a, b, b, c], subtopic: [x, x, y, y], label: [1, 1, 1, 0], score: [3, 2, 2, 1], result: 1.9464}
-#}
{%- macro alpha_dcg__per_group(m) -%}
{{ sqlmetrics.discounted_novelty(m) }}
{%- endmacro -%}
