{#-
title: Normalised discounted cumulative gain that wants novelty (α-nDCG)
answers: [varied, top]
formula: α-DCG of the first k items / that of a list in which each item is the one that gains most after those above it, then the mean over groups
frame: subtopic_items
truth: relevance
score: number
roles: {item: required, subtopic: required}
uses: [relevant_above, subtopics_added, best_list]
lower: 0
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: alpha-nDCG of ndeval
source: Clarke et al., SIGIR 2008; ndeval of the TREC Web Track
notes: The best list is made of all items of the group, with judgments of those too that were not returned. It is chosen item by item, of two that gain as much the greater one, which is not always the best there could be, so that a value may lie a little above 1. A row is an item of a list and one of the subtopics for which it was judged; an item counts once in the list, whatever the number of its rows, and needs one row at least (of label 0, or without a subtopic, if it is for none). Where judgments are given, these rows are theirs, and the data have a row for each item of a list. Equal scores are ordered by tie_key, by default the item, descending (in pyndeval ascending). On Spark, BigQuery, Snowflake, Trino and Redshift each of the k places is a step of the statement, elsewhere a round of a recursion; for more than ten Spark may ask for a greater `spark.sql.analyzer.maxIterations`.
parameters:
  k: {type: integer, required: true, minimum: 1, maximum: 20, doc: 'how many items from the top, 20 at most as in ndeval'}
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
