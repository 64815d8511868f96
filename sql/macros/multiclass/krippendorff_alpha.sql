{#-
title: Krippendorff's alpha
answers: [raters]
formula: 1 − Dₒ / Dₑ, Dₒ the mean distance of two ratings of one item (each item by its ratings), Dₑ that of any two ratings
frame: rated_items
label_type: number
roles: {group: required}
lower: -1
upper: 1
better: higher
scale: 0 is chance
rules:
  - {column: label, keeps: label >= 0, message: is negative (a ratio scale starts at 0), with: {level: ratio}}
undefined: NULL without an item that has two ratings, or where all ratings are the same
oracle: the matrix of coincidences by numpy
source: Krippendorff, Content Analysis (2004), chapter 11; his computing sheet of 2011 has the numbers of the tests
parameters: [level]
notes: A row is a rating, `group` the item that is rated. Items may have different numbers of ratings; items with a single rating are dropped. Distances need numbers, so map string classes to numbers (`= case label when 'spam' then 1 …`), or use fleiss_kappa. The ratio level needs numbers >= 0, and its work grows with the square of the distinct ratings.
names: {krippendorff: "alpha"}
example: {group: [1, 1, 2, 2, 3, 3], label: [1, 1, 2, 2, 1, 2], result: 0.4444}
-#}
{%- macro krippendorff_alpha__value(m) -%}
case
    when min(case when ratings > 0 then rating end) < max(case when ratings > 0 then rating end)
        then 1 - (max(ratings_of_all) - 1) * sum(ratings * (apart_in_item / nullif(ratings_of_item - 1, 0)))
            / nullif(sum(ratings * apart_total), 0)
end
{%- endmacro -%}
