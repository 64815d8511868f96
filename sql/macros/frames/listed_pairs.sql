{#-
title: listed pairs
rows: one per list, from the pairs of its items
unit: group
group_values: columns
columns: group_id, lower_rank (of the item of a pair that comes second; NULL in a list of one item), similarity (0 where a pair has none)
relations: [similarity]
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
-#}

{#- What no metric reads makes no pair. -#}
{%- macro listed_pairs(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set listed = 'lists' ~ f.suffix -%}
{%- set cuts = f.metrics | rejectattr('k', 'none') | map(attribute='k') | list -%}
{{ sqlmetrics.lists(f, listed, rows_from, keys) }}
{{ sqlmetrics.cte('pairs_of_lists' ~ f.suffix, 'one per pair of items of a list') }}
select
    {{- sqlmetrics.leading(group_keys, 'upper_items') }}
    upper_items.item_rank as upper_rank,
    lower_items.item_rank as lower_rank,
    coalesce(sqlmetrics_all_similarities.similarity, 0) as similarity
from {{ listed }} as upper_items
left join {{ listed }} as lower_items
    on {{ sqlmetrics.matching('upper_items', 'lower_items', group_keys) }}upper_items.item_rank < lower_items.item_rank
    {{- '\n    and lower_items.item_rank <= ' ~ cuts | max if cuts | length == f.metrics | length }}
left join sqlmetrics_all_similarities
    on upper_items.item_id = sqlmetrics_all_similarities.item_a
    and lower_items.item_id = sqlmetrics_all_similarities.item_b
{{ sqlmetrics.values_of_lists(f, 'pairs_of_lists' ~ f.suffix, keys, 'max(upper_rank)') }}
{%- endmacro -%}
