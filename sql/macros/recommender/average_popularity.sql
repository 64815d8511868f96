{#-
title: Average recommendation popularity
answers: [varied]
formula: mean over lists of the mean count of their items
frame: listed_items
score: number
roles: {item: required}
relations: [popularity]
range: 0 and up, higher is more popular
undefined: NULL without lists; an item that was never seen counts 0
oracle: by hand
source: Yin and others, VLDB 2012; Abdollahpouri and others, FLAIRS 2019
notes: Divided by the same of what users had chosen themselves, it is the lift of popularity (how much more popular what is recommended is).
parameters: [k]
example: {group: [1, 1, 2, 2], item: [a, b, a, d], score: [2, 1, 2, 1], popularity: {item: [a, b, c], count: [4, 2, 1]}, result: 2.5}
-#}
{%- macro average_popularity__query(m, rows_from, keys) -%}
select
    {{ sqlmetrics.lines(keys + ['avg(mean_count) as ' ~ sqlmetrics.identifier(m.as)]) }}
from (
    select
        {{ (keys + ['group_id', 'avg(coalesce(all_counts.seen, 0)) as mean_count']) | join(',\n        ') }}
    from {{ rows_from }} as lists
    left join all_counts
        on lists.item_id = all_counts.item_id
    where {{ sqlmetrics.first_items(m) }}
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys + ['group_id'])) }}
) as counts_of_lists
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}
