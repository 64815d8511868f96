{#-
title: Catalogue coverage
answers: [shown]
formula: items of the catalogue that are in some list / items of the catalogue
frame: listed_items
score: number
roles: {item: required}
relations: [catalog]
lower: 0
upper: 1
undefined: NULL without lists or with an empty catalogue
oracle: by hand
source: Ge et al., RecSys 2010
parameters: [k]
example: {group: [1, 1, 2, 2], item: [a, b, a, c], score: [2, 1, 2, 1], catalog: {item: [a, b, c, d]}, call: coverage@1, result: 0.25}
-#}
{%- macro coverage__query(m, rows_from, keys) -%}
select
    {{ sqlmetrics.select_list(keys + ['case when count(*) > 0\n        then ' ~ sqlmetrics.to_double('count(sqlmetrics_all_items.item_id)') ~ '\n            / nullif((select count(*) from sqlmetrics_all_items), 0) end as ' ~ sqlmetrics.identifier(m.as)]) }}
from (
    {{ sqlmetrics.indented(sqlmetrics.items_of_lists(m, rows_from, keys, ['exposures'])) }}
) as items_of_lists
left join sqlmetrics_all_items on items_of_lists.item_id = sqlmetrics_all_items.item_id
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}
