{#-
title: Intra-list diversity
answers: [varied]
formula: 1 − mean similarity of the pairs of a list, averaged over lists; a missing pair counts 0
frame: listed_items
score: number
roles: {item: required}
relations: [similarity]
range: 0 to 1
undefined: NULL when no list has two items; such lists are left out
oracle: by hand
source: Smyth and McClave, ICCBR 2001
parameters: [k]
example: {group: [1, 1, 2, 2], item: [a, b, a, c], score: [2, 1, 2, 1], similarity: {item_a: [a, c], item_b: [b, a], similarity: [0.5, 0.2]}, result: 0.65}
-#}
{%- macro diversity__query(m, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set own = [] -%}
{%- for key in group_keys -%}{%- do own.append('a.' ~ key) -%}{%- endfor -%}
{#- Named, because ClickHouse would name the result of a join of three a.group_id. -#}
{%- set named = sqlmetrics.keys_of('a', group_keys) -%}
{%- set same = sqlmetrics.same_keys('a', 'b', group_keys) -%}
select
    {{ sqlmetrics.lines(keys + ['avg(diversity) as ' ~ sqlmetrics.identifier(m.as)]) }}
from (
    select
        {{ (named + ['1 - sum(coalesce(pairs.similarity, 0)) / nullif(' ~ sqlmetrics.to_double('count(*)') ~ ', 0) as diversity']) | join(',\n        ') }}
    from {{ rows_from }} as a
    inner join {{ rows_from }} as b
        on {{ same | join('\n        and ') }}
        and a.item_rank < b.item_rank
    left join all_similarities as pairs
        on a.item_id = pairs.item_a
        and b.item_id = pairs.item_b
    where {{ sqlmetrics.first_items(m) | replace('item_rank', 'b.item_rank') }}
    group by
        {{ own | join(',\n        ') }}
) as lists
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}
