{#-
title: Miscalibration of categories
answers: [varied]
formula: Σ p·ln(p / ((1 − α)·q + α·p)), p the share of each category in what a group had before and q in its list; then the mean over groups
frame: list_categories
score: number
roles: {item: required}
lower: 0
better: lower
undefined: NULL when no list has a history; a group without a category on one of the two sides is dropped
oracle: scipy.stats.entropy
source: Steck, Calibrated recommendations, RecSys 2018
notes: The Kullback-Leibler divergence of the list from the history, in nats. An item with n categories is 1/n of an item in each; an item without a category is dropped.
parameters:
  k: frame
  alpha: {type: number, default: 0.01, minimum: 0.000001, maximum: 1, doc: 'α, the share of the history mixed into the list, so that a missing category does not make the divergence infinite'}
example: {group: [1, 1], item: [a, b], score: [2, 1], history: {group: [1, 1], item: [c, d]}, item_categories: {item: [a, b, c, d], category: [romance, romance, romance, action]}, result: 1.9585}
-#}
{%- macro category_miscalibration__per_group(m) -%}
{%- set alpha = sqlmetrics.number(m.alpha) -%}
{%- set mixture = '(1 - ' ~ alpha ~ ') * ' ~ sqlmetrics.name_of_cut(m, 'listed_share') ~ ' + ' ~ alpha ~ ' * history_share' -%}
sum(case
    when history_share > 0 then history_share * ln(history_share / ({{ mixture }}))
end)
{%- endmacro -%}
