{#-
title: Intra-list diversity
answers: [varied]
formula: 1 − mean similarity of the pairs of a list, averaged over lists; a missing pair counts 0
frame: listed_pairs
score: number
roles: {item: required}
scale: 0 to 1 where the similarities are, higher is more varied
undefined: NULL when no list has two items; shorter lists are dropped
oracle: by hand
source: Smyth and McClave, ICCBR 2001
parameters: [k]
example: {group: [1, 1, 2, 2], item: [a, b, a, c], score: [2, 1, 2, 1], similarity: {item_a: [a, c], item_b: [b, a], similarity: [0.5, 0.2]}, result: 0.65}
-#}
{%- macro diversity__per_group(m) -%}
{%- set items = sqlmetrics.to_double(sqlmetrics.sum_of_first(m.k, 'items', 'last_rank')) -%}
1 - 2 * {{ sqlmetrics.sum_of_first(m.k, 'similarity', 'last_rank') }}
    / nullif({{ items }}
        * ({{ items }} - 1), 0)
{%- endmacro -%}
