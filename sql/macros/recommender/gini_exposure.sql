{#-
title: Gini coefficient of exposure
answers: [shown]
formula: Σ (2i − n − 1)·cᵢ / (n·Σ c), cᵢ how often each item of the catalogue is listed, ascending
frame: listed_items
score: number
roles: {item: required}
relations: [catalog]
lower: 0
upper: 1
undefined: NULL when nothing of the catalogue is listed
oracle: by hand
source: Fleder and Hosanagar, Management Science 55 (2009)
parameters: [k]
example: {group: [1, 1, 2, 2], item: [a, b, a, c], score: [2, 1, 2, 1], catalog: {item: [a, b, c, d]}, result: 0.375}
-#}
{#- Items with equal counts are one row: distinct counts are few, as n of them need n²/2 listings. The ranks i of c equal items after b
    others add up to c·b + c·(c + 1)/2. Items without listings come first and add nothing. -#}
{%- macro gini_exposure__query(m, rows_from, keys) -%}
{%- set places = '2 * (items - items_listed + items_cumulative) - equals - items' -%}
select
    {{ sqlmetrics.select_list(keys + ['sum(equals * (' ~ places ~ ') * exposures)\n        / nullif(max(items) * sum(equals * exposures), 0) as ' ~ sqlmetrics.identifier(m.as)]) }}
from (
    select
        {{ (keys + ['exposures', 'equals']) | join(',\n        ') }},
        sum(equals) {{ sqlmetrics.over(keys, 'exposures asc rows unbounded preceding') }} as items_cumulative,
        sum(equals) {{ sqlmetrics.over(keys) }} as items_listed,
        (select {{ sqlmetrics.to_double('count(*)') }} from sqlmetrics_all_items) as items
    from (
        select
            {{ (keys + ['exposures', sqlmetrics.to_double('count(sqlmetrics_all_items.item_id)') ~ ' as equals']) | join(',\n            ') }}
        from (
            {{ sqlmetrics.items_of_lists(m, rows_from, keys, ['exposures']) | replace('\n', '\n            ') }}
        ) as items_of_lists
        left join sqlmetrics_all_items on items_of_lists.item_id = sqlmetrics_all_items.item_id
        {{- sqlmetrics.group_by(keys + ['exposures']) | indent(8) }}
    ) as items_of_exposures
) as exposures_in_order
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}
