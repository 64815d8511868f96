{#-
title: Novelty
answers: [varied]
formula: mean over the listed items of −log2(count / Σ count)
frame: listed_items
score: number
roles: {item: required}
relations: [popularity]
lower: 0
scale: higher is less obvious
undefined: NULL when no listed item was ever seen; unseen items are dropped
oracle: by hand
source: Vargas and Castells, RecSys 2011
notes: The mean over all listed items; `average_popularity` is the mean over lists.
parameters: [k]
example: {group: [1, 1, 2, 2], item: [a, b, a, c], score: [2, 1, 2, 1], popularity: {item: [a, b, c], count: [2, 1, 1]}, result: 1.5}
-#}
{%- macro novelty__query(m, rows_from, keys) -%}
{%- set information = '-' ~ sqlmetrics.log2('sqlmetrics_all_counts.seen / (select sum(seen) from sqlmetrics_all_counts)') -%}
select
    {{ sqlmetrics.select_list(keys + ['sum(exposures * (' ~ information ~ '))\n        / sum(case when sqlmetrics_all_counts.seen is not null then exposures end) as ' ~ sqlmetrics.identifier(m.as)]) }}
from (
    {{ sqlmetrics.indented(sqlmetrics.items_of_lists(m, rows_from, keys, ['exposures'])) }}
) as items_of_lists
left join sqlmetrics_all_counts on items_of_lists.item_id = sqlmetrics_all_counts.item_id
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}
