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
{%- set group_keys = keys + ['group_id'] -%}
{%- set listed = 'lists_with_truth' ~ f.suffix -%}
{%- set weights = ['group_weight'] if f.group_weight else [] -%}
{%- set items = sqlmetrics.keys_of('lists_of_groups', group_keys + weights + ['label', 'item_rank'])
    + ['case when sqlmetrics_all_expected.item_id is null then 0 else 1 end as expected'] -%}
{%- set surprising_items -%}
select
    {{ sqlmetrics.lines(group_keys + (['max(group_weight) as group_weight'] if weights else []) + sqlmetrics.columns_of_groups(f) + ['count(*) as row_count']) }}
from (
    select
        {{ items | join(',\n        ') }}
    from {{ listed }} as lists_of_groups
    left join sqlmetrics_all_expected
        on lists_of_groups.item_id = sqlmetrics_all_expected.item_id
) as items_expected_or_not
{{- sqlmetrics.group_by(group_keys) }}
{%- endset -%}
{{ return(sqlmetrics.listed_items(dict(f, cte=listed, rows='one per item of a list', carried=weights + ['label']), rows_from, keys) + [
    sqlmetrics.step(f.cte, surprising_items, f.rows),
]) }}
{%- endmacro -%}
