{#-
title: Popularity lift
answers: [varied]
formula: (P of the lists − P of the histories) / P of the histories, P the mean over groups of the mean count of their items
frame: list_popularity
score: number
roles: {item: required}
group_columns: {average=micro: [listed, history]}
lower: -1
scale: 0 is as popular as what was had before, above 0 popularity is amplified
undefined: NULL when no list has a history, or no item of the histories was ever seen; a list without a history is dropped
oracle: numpy
source: Abdollahpouri and others, RecSys 2020 (of groups of users, slices here); ΔGAP, RMSE workshop at RecSys 2019
notes: An item that was never seen counts 0. The count may also be a share of the users, the lift is the same.
parameters:
  k: frame
  average:
    default: micro
    choices: {micro: the lift of the two means over groups, macro: 'the mean over groups of their own lifts, without groups whose history was never seen'}
    doc: how the groups are combined
    used_by: {micro: scikit-pierre}
example: {group: [1, 1, 2, 2], item: [a, b, a, c], score: [2, 1, 2, 1], popularity: {item: [a, b, c], count: [4, 2, 1]}, history: {group: [1, 2, 2], item: [b, a, c]}, result: 0.2222}
-#}
{%- macro popularity_lift__per_group(m) -%}
{%- set listed = sqlmetrics.sum_of_first(m.k, 'seen') ~ '\n    / nullif(' ~ sqlmetrics.to_double(sqlmetrics.count_of_first(m.k)) ~ ', 0)' -%}
{%- set history = 'max(history_popularity)' -%}
{%- if m.average == 'macro' -%}
({{ listed }} - {{ history }}) / nullif({{ history }}, 0)
{%- elif m.column == 'listed' -%}
case when {{ history }} is not null then {{ listed }} end
{%- else -%}
{{ history }}
{%- endif -%}
{%- endmacro -%}

{%- macro popularity_lift__value(m) -%}
{{ sqlmetrics.mean_over_groups(m) if m.average == 'macro' else sqlmetrics.pooled_pairs(m) ~ ' - 1' }}
{%- endmacro -%}
