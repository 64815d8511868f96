{#-
title: Novelty-aware normalised discounted cumulative gain (α-nDCG)
answers: [varied, top]
formula: α-DCG of the first k items / that of a list in which each item is the one that gains most after those above it, then the mean over groups
frame: subtopic_items
label_type: relevance
score: number
roles: {item: required, subtopic: required}
uses: [relevant_above, subtopics_added, best_list]
lower: 0
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: alpha-nDCG of ndeval
source: Clarke et al., SIGIR 2008; ndeval of the TREC Web Track
notes: The ideal list contains all items of the group, with judgments also those that were not returned. It is built greedily, item by item, and of equal gains it takes the greater item. The greedy list is not always the best list, so a value may be slightly above 1. Each row is an item and one subtopic for which it was judged. An item counts once in the list and needs at least one row. An item without a relevant subtopic has a row with label 0 or without a subtopic. With judgments, these rows are in judgments, and the data has one row per item. Equal scores are ordered by tie_key, by default the item, descending (in pyndeval ascending). The list takes at most k rounds, which are steps of the statement on Spark, BigQuery, Snowflake, Trino and Redshift, elsewhere of a recursion. For k above 10, Spark may need a larger `spark.sql.analyzer.maxIterations`.
parameters:
  k: {type: integer, required: true, minimum: 1, maximum: 20, doc: 'how many items from the top, at most 20 as in ndeval'}
  alpha: frame
  relevant_at: frame
  missing: frame
  empty: frame
names: {ir_measures: "alpha_nDCG"}
example: {group: [1, 1, 1, 1], item: [a, b, b, c], subtopic: [x, x, y, y], label: [1, 1, 1, 0], score: [3, 2, 2, 1], call: alpha_ndcg@2, result: 0.8406}
-#}
{%- macro alpha_ndcg__per_group(m) -%}
{{ sqlmetrics.discounted_novelty(m) }}
{%- endmacro -%}
