{#-
title: Intra-list distance of embeddings
answers: [varied]
formula: mean of 1 − cosine similarity over the pairs of a list's vectors, then the mean over lists
frame: listed_vectors
score: number
roles: {item: required}
lower: 0
upper: 2
scale: higher is more varied
undefined: NULL when no list has two items with a vector; shorter lists are dropped, and so are items without a vector
oracle: scipy.spatial.distance.pdist
source: Zhang and Hurley, RecSys 2008; Ziegler and others, WWW 2005, of similarities
notes: All pairs are computed from one sum over items, so the work grows with the rows, not with the pairs. `diversity` uses a relation of pair similarities.
parameters:
  k: frame
example: {group: [1, 1, 1], item: [a, b, c], score: [3, 2, 1], embeddings: {item: [a, a, b, b, c, c], dimension: [1, 2, 1, 2, 1, 2], value: [1, 0, 0, 2, 3, 4]}, result: 0.5333}
-#}
{%- macro intra_list_distance__per_group(m) -%}
{%- set vectors = sqlmetrics.to_double('sum(' ~ sqlmetrics.name_of_cut(m, 'vectors') ~ ')') -%}
({{ vectors }} * {{ vectors }} - sum({{ sqlmetrics.name_of_cut(m, 'squared_sum') }}))
    / nullif({{ vectors }} * ({{ vectors }} - 1), 0)
{%- endmacro -%}
