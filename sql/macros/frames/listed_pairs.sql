{#-
title: listed pairs
rows: one per list, from its items and the pairs of them
unit: group
group_values: columns
columns: group_id, items (1 for an item, 0 for a pair), similarity (of a pair; 0 for an item, pairs without a similarity may be missing) and, where a metric cuts the list, last_rank (of the item, or of the lower item of the pair)
relations: [similarity]
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
-#}

{#- Only items that have a similarity and that a metric reads form pairs. The left join stops planners from joining items to similarities
    before lists, which would make a row for each similarity of each item. -#}
{%- macro listed_pairs(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set ranks = sqlmetrics.rank_to_cut(f) -%}
{%- set within_cuts = sqlmetrics.within_cuts(f) -%}
{{ sqlmetrics.lists(f, 'lists' ~ f.suffix, rows_from, keys, repeated=true) }}
{{ sqlmetrics.cte('items_with_similarity' ~ f.suffix, 'items of lists that have a similarity', materialized=true) }}
select
    {{- sqlmetrics.leading(group_keys + ranks) }}
    item_id
from lists{{ f.suffix }}
where item_id in (select item_a from sqlmetrics_all_similarities)
{{- '\n    and ' ~ within_cuts if within_cuts }}
{{ sqlmetrics.cte('pairs_of_lists' ~ f.suffix, 'one per item of a list, and per pair that may have a similarity') }}
select
    {{- sqlmetrics.leading(group_keys + (['item_rank as last_rank'] if ranks else [])) }}
    1 as items,
    {{ sqlmetrics.to_double('0') }} as similarity
from lists{{ f.suffix }}
union all
select
    {{- sqlmetrics.leading(group_keys, 'upper_items') }}
    {{- sqlmetrics.leading(['greatest(upper_items.item_rank, lower_items.item_rank) as last_rank'] if ranks else []) }}
    0 as items,
    coalesce(sqlmetrics_all_similarities.similarity, 0) as similarity
from items_with_similarity{{ f.suffix }} as upper_items
inner join items_with_similarity{{ f.suffix }} as lower_items{{ sqlmetrics.on('upper_items', 'lower_items', group_keys, ['upper_items.item_id < lower_items.item_id']) }}
left join sqlmetrics_all_similarities
    on upper_items.item_id = sqlmetrics_all_similarities.item_a
    and lower_items.item_id = sqlmetrics_all_similarities.item_b
{{ sqlmetrics.values_of_lists(f, 'pairs_of_lists' ~ f.suffix, keys, 'sum(items)') }}
{%- endmacro -%}
