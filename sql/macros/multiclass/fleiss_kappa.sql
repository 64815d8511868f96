{#-
title: Fleiss' kappa
answers: [raters]
formula: (P̄ − Pₑ) / (1 − Pₑ), P̄ the mean over items of the share of pairs of ratings that agree, Pₑ the sum of the squared shares of the classes among all ratings
frame: rated_items
label_type: class
roles: {group: required}
lower: -1
upper: 1
better: higher
scale: 0 is chance
undefined: NULL without an item that has two ratings, or where all ratings are the same
oracle: statsmodels.stats.inter_rater.fleiss_kappa, its formula in numpy where items have different numbers of ratings
source: Fleiss, Psychological Bulletin 76 (1971)
notes: A row is a rating, `group` the item that is rated. In P̄ each item counts the same, with any number of ratings; in Pₑ each rating does. Items with a single rating are dropped from both.
names: {statsmodels: "fleiss_kappa"}
example: {group: [1, 1, 2, 2, 3, 3], label: [a, a, b, b, a, b], result: 0.3333}
-#}
{%- macro fleiss_kappa__value(m) -%}
{%- set agreeing = 'sum(ratings * (ratings - 1) / nullif(ratings_of_item * (ratings_of_item - 1), 0)) / nullif(sum(items), 0)' -%}
{#- More than one class exists if a class has fewer ratings than all. Engines have no `min` for some types of class. -#}
{%- set by_chance = 'sum(ratings / nullif(ratings_of_all, 0) * (ratings_of_value / nullif(ratings_of_all, 0)))' -%}
case
    when min(case when ratings > 0 then ratings_of_value end) < max(ratings_of_all)
        then (
            {{ agreeing }}
            - {{ by_chance }}
        ) / nullif(1 - {{ by_chance }}, 0)
end
{%- endmacro -%}
