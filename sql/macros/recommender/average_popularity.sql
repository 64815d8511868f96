{#-
title: Average recommendation popularity
answers: [varied]
formula: mean over lists of the mean count of their items
frame: listed_items
uses: [list_length]
score: number
roles: {item: required}
relations: [popularity]
lower: 0
scale: higher is more popular
undefined: NULL without lists; an item that was never seen counts 0
oracle: by hand
source: Yin and others, VLDB 2012; Abdollahpouri and others, FLAIRS 2019
notes: The mean over lists of the mean over their items; `novelty` is the mean over all listed items. `popularity_lift` compares it with the history of the users.
parameters: [k]
example: {group: [1, 1, 2, 2], item: [a, b, a, d], score: [2, 1, 2, 1], popularity: {item: [a, b, c], count: [4, 2, 1]}, result: 2.5}
-#}
{#- The list means add up to Σ count · (Σ 1 / length of the lists with the item). -#}
{%- macro average_popularity__query(m, rows_from, keys) -%}
select
    {{ sqlmetrics.select_list(keys + ['sum(shares * coalesce(sqlmetrics_all_counts.seen, 0)) / nullif(' ~ sqlmetrics.number_of_lists() ~ ', 0) as ' ~ sqlmetrics.identifier(m.as)]) }}
from (
    {{ sqlmetrics.indented(sqlmetrics.items_of_lists(m, rows_from, keys, ['shares'])) }}
) as items_of_lists
left join sqlmetrics_all_counts on items_of_lists.item_id = sqlmetrics_all_counts.item_id
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}
