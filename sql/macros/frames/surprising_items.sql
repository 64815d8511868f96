{#-
title: surprising items
rows: one per list, from its items, each expected or not
unit: group
group_values: columns
columns: group_id, label (graded relevance), expected (0 or 1), item_rank
relations: [expected_items]
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
  relevant_at: {type: number, default: 1, doc: an item is relevant when its label is at least this}
-#}

{%- macro surprising_items(f, rows_from, keys) -%}
{%- set listed = 'lists_with_truth' ~ f.suffix -%}
{%- set carried = (['group_weight'] if f.group_weight else []) + ['label'] -%}
{%- set items_expected_or_not -%}
select
    {{- sqlmetrics.leading(keys + ['group_id'] + carried + ['item_rank'], 'lists_of_groups') }}
    case when sqlmetrics_all_expected.item_id is null then 0 else 1 end as expected
from {{ listed }} as lists_of_groups
left join sqlmetrics_all_expected
    on lists_of_groups.item_id = sqlmetrics_all_expected.item_id
{%- endset -%}
{{ return(sqlmetrics.listed_items(dict(f, cte=listed, rows='one per item of a list', carried=carried), rows_from, keys) + [
    sqlmetrics.step('items_expected_or_not' ~ f.suffix, items_expected_or_not, 'the items of lists, each expected or not'),
    sqlmetrics.values_of_lists(f, 'items_expected_or_not' ~ f.suffix, keys, 'count(*)'),
]) }}
{%- endmacro -%}
