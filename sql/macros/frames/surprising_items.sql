{#-
title: surprising items
rows: one per list, from its items, each expected or not
unit: group
group_values: columns
columns: group_id, label (graded relevance), expected (0 or 1), item_rank (if a metric has k)
relations: [expected_items]
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
  relevant_at: {type: number, default: 1, doc: an item is relevant if its label is at least this}
-#}

{%- macro surprising_items(f, rows_from, keys) -%}
{%- set carried = (['group_weight'] if f.group_weight else []) + ['label'] -%}
{{ sqlmetrics.lists(f, 'lists_with_labels' ~ f.suffix, rows_from, keys, carried) }}
{{ sqlmetrics.cte('items_expected_or_not' ~ f.suffix, 'items of lists, with a flag for expected items') }}
select
    {{- sqlmetrics.leading(keys + ['group_id'] + carried + sqlmetrics.rank_to_cut(f), 'lists_of_groups') }}
    case when sqlmetrics_all_expected.item_id is null then 0 else 1 end as expected
from lists_with_labels{{ f.suffix }} as lists_of_groups
left join sqlmetrics_all_expected on lists_of_groups.item_id = sqlmetrics_all_expected.item_id
{{ sqlmetrics.values_of_lists(f, 'items_expected_or_not' ~ f.suffix, keys, 'count(*)') }}
{%- endmacro -%}
