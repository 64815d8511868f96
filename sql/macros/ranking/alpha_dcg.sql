{#-
title: Discounted cumulative gain that wants novelty (α-DCG)
answers: [varied, top]
formula: Σ over the first k items i of discount(i) · Σ over the subtopics for which it is relevant of (1 − alpha)^c, c the relevant items above for the same subtopic, then the mean over groups
frame: subtopic_items
truth: relevance
score: number
roles: {item: required, subtopic: required}
uses: [relevant_above, subtopics_added]
lower: 0
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: alpha-DCG of ndeval (its formula)
source: Clarke et al., SIGIR 2008; ndeval of the TREC Web Track
notes: A row is an item of a list and one of the subtopics for which it was judged; an item counts once in the list, whatever the number of its rows, and needs one row at least (of label 0, or without a subtopic, if it is for none). Where judgments are given, these rows are theirs, and the data have a row for each item of a list. Equal scores are ordered by tie_key, by default the item, descending (in pyndeval ascending). ndeval and ir_measures divide it by the number of subtopics times Σ discount(i)·(1 − alpha)^(i − 1) over the first k places.
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
