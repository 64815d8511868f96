{#-
title: Gini coefficient of exposure
answers: [shown]
formula: Σ (2i − n − 1)·cᵢ / (n·Σ c), cᵢ how often each item of the catalogue is listed, ascending
frame: listed_items
score: number
roles: {item: required}
relations: [catalog]
range: 0 to 1
undefined: NULL when nothing of the catalogue is listed
oracle: by hand
source: Fleder and Hosanagar, Management Science 55 (2009)
parameters: [k]
example: {group: [1, 1, 2, 2], item: [a, b, a, c], score: [2, 1, 2, 1], catalog: {item: [a, b, c, d]}, result: 0.375}
-#}
{#- Items listed equally often are one row: different counts are few, as n of them need n²/2 listings. Of c equal items
    after b others the places i add up to c·b + c·(c + 1)/2. -#}
{%- macro gini_exposure__query(m, rows_from, keys) -%}
{%- set slices = '\n        inner join (select distinct ' ~ keys | join(', ') ~ ' from ' ~ rows_from ~ ') as slices_listed on 1 = 1' if keys else '' -%}
{%- set same = [] -%}
{%- for key in keys -%}{%- do same.append('\n            and slices_listed.' ~ key ~ ' = lists.' ~ key) -%}{%- endfor -%}
{%- set own = [] -%}
{%- set named = [] -%}
{%- for key in keys -%}
{%- do own.append('slices_listed.' ~ key) -%}
{%- do named.append('slices_listed.' ~ key ~ ' as ' ~ key) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(keys + ['sum(equals * (2 * items_to_here - equals - items) * exposures) / nullif(max(items) * sum(equals * exposures), 0) as ' ~ sqlmetrics.identifier(m.as)]) }}
from (
    select
        {{ (keys + ['exposures', 'equals']) | join(',\n        ') }},
        sum(equals) {{ sqlmetrics.over(keys, 'exposures rows unbounded preceding') }} as items_to_here,
        sum(equals) {{ sqlmetrics.over(keys) }} as items
    from (
        select
            {{ (keys + ['exposures', sqlmetrics.to_double('count(*)') ~ ' as equals']) | join(',\n            ') }}
        from (
            select
                {{ (named + ['all_items.item_id', sqlmetrics.to_double('count(lists.item_id)') ~ ' as exposures']) | join(',\n                ') }}
            from all_items
            {{- slices | replace('\n', '\n    ') }}
            left join {{ rows_from }} as lists
                on all_items.item_id = lists.item_id
                and {{ sqlmetrics.first_items(m) }}{{ same | join('') | replace('\n', '\n    ') }}
            group by
                {{ (own + ['all_items.item_id']) | join(',\n                ') }}
        ) as exposures_of_items
        group by
            {{ (keys + ['exposures']) | join(',\n            ') }}
    ) as items_of_exposures
) as exposures_in_order
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}
