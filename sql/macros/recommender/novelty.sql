{#-
title: Novelty
answers: [varied]
formula: mean over the listed items of −log2(count / Σ count)
frame: listed_items
score: number
roles: {item: required}
relations: [popularity]
range: 0 and up, higher is less obvious
undefined: NULL when no listed item was ever seen; such items are left out
oracle: by hand
source: Vargas and Castells, RecSys 2011
parameters: [k]
example: {group: [1, 1, 2, 2], item: [a, b, a, c], score: [2, 1, 2, 1], popularity: {item: [a, b, c], count: [2, 1, 1]}, result: 1.5}
-#}
{%- macro novelty__query(m, rows_from, keys) -%}
select
    {{ sqlmetrics.lines(keys + ['avg(-' ~ sqlmetrics.log2('all_counts.seen / (select sum(seen) from all_counts)') ~ ') as ' ~ sqlmetrics.identifier(m.as)]) }}
from {{ rows_from }} as lists
left join all_counts
    on lists.item_id = all_counts.item_id
where {{ sqlmetrics.first_items(m) }}
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}
