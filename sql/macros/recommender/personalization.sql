{#-
title: Personalization
answers: [varied]
formula: 1 − mean over pairs of lists of their cosine similarity, |A ∩ B| / √(|A|·|B|)
frame: listed_items
score: number
roles: {item: required}
range: 0 to 1, higher is less alike
undefined: NULL with fewer than two lists
oracle: sklearn.metrics.pairwise.cosine_similarity
source: Zhou and others, PNAS 107 (2010)
notes: All pairs are told by one sum over items, so that the work grows with the rows, not with the pairs.
parameters: [k]
example: {group: [1, 1, 2, 2], item: [a, b, a, c], score: [2, 1, 2, 1], result: 0.5}
-#}
{#- The similarities of all pairs, and of each list with itself, add up to Σ (Σ 1 / √length of the lists that have the item)². -#}
{%- macro personalization__query(m, rows_from, keys) -%}
{%- set lists = 'floor(sum(shares) + 0.5)' -%}
{%- set value = '1 - (sum(parts * parts) - ' ~ lists ~ ') / (' ~ lists ~ ' * (' ~ lists ~ ' - 1))' -%}
select
    {{ sqlmetrics.lines(keys + ['case when ' ~ lists ~ ' > 1 then ' ~ value ~ ' end as ' ~ sqlmetrics.identifier(m.as)]) }}
from (
    select
        {{ (keys + ['item_id', 'sum(1 / sqrt(list_length)) as parts', 'sum(1 / list_length) as shares']) | join(',\n        ') }}
    from (
        select
            {{ (keys + ['item_id', sqlmetrics.to_double('count(*) ' ~ sqlmetrics.over(keys + ['group_id'])) ~ ' as list_length']) | join(',\n            ') }}
        from {{ rows_from }} as lists
        where {{ sqlmetrics.first_items(m) }}
    ) as items_of_lists
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys + ['item_id'])) }}
) as parts_of_items
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}
