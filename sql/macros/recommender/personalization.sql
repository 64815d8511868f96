{#-
title: Personalization
answers: [varied]
formula: 1 − mean over pairs of lists of their cosine similarity, |A ∩ B| / √(|A|·|B|)
frame: listed_items
uses: [list_length]
score: number
roles: {item: required}
lower: 0
upper: 1
scale: higher is less alike
undefined: NULL with fewer than two lists
oracle: sklearn.metrics.pairwise.cosine_similarity
source: Zhou and others, PNAS 107 (2010)
notes: All pairs are computed from one sum over items, so the work grows with the rows, not with the pairs.
parameters: [k]
example: {group: [1, 1, 2, 2], item: [a, b, a, c], score: [2, 1, 2, 1], result: 0.5}
-#}
{#- The similarities of all pairs, and of each list with itself, add up to Σ (Σ 1 / √length of the lists with the item)². -#}
{%- macro personalization__query(m, rows_from, keys) -%}
{%- set lists = sqlmetrics.number_of_lists() -%}
{%- set value = '1 - (sum(roots * roots) - ' ~ lists ~ ') / (' ~ lists ~ ' * (' ~ lists ~ ' - 1))' -%}
select
    {{ sqlmetrics.select_list(keys + ['case when ' ~ lists ~ ' > 1\n        then ' ~ value ~ ' end as ' ~ sqlmetrics.identifier(m.as)]) }}
from (
    {{ sqlmetrics.indented(sqlmetrics.items_of_lists(m, rows_from, keys, ['shares', 'roots'])) }}
) as items_of_lists
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}
