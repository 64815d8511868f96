{#-
title: popularity of lists
rows: one per list, with the history of its group
unit: group
state: null
stateless: popularity is read with the state, but the means are computed before that
group_values: columns
columns: group_id, item_rank (if a metric has k), seen (how often an item of the list was seen, 0 of one that never was), history_popularity (the mean of that over what the group had before; NULL of a group without any)
relations: [popularity, history]
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
-#}

{%- macro list_popularity(f, rows_from, keys) -%}
{{ sqlmetrics.lists(f, 'lists_with_popularity' ~ f.suffix, rows_from, keys) }}
{{ sqlmetrics.cte('popularity_of_history' ~ f.suffix, 'one per group that had something before') }}
select
    sqlmetrics_all_histories.group_id as group_id,
    sum(coalesce(sqlmetrics_all_counts.seen, 0)) / {{ sqlmetrics.to_double('count(*)') }} as history_popularity
from sqlmetrics_all_histories
left join sqlmetrics_all_counts on sqlmetrics_all_histories.item_id = sqlmetrics_all_counts.item_id
group by sqlmetrics_all_histories.group_id
{{ sqlmetrics.cte('items_with_popularity' ~ f.suffix, 'items of lists, with the mean popularity of the history of their group') }}
select
    {{- sqlmetrics.leading(keys + ['group_id'] + sqlmetrics.rank_to_cut(f), 'listed') }}
    coalesce(sqlmetrics_all_counts.seen, 0) as seen,
    profiles.history_popularity as history_popularity
from lists_with_popularity{{ f.suffix }} as listed
left join sqlmetrics_all_counts on listed.item_id = sqlmetrics_all_counts.item_id
left join popularity_of_history{{ f.suffix }} as profiles on listed.group_id = profiles.group_id
{{ sqlmetrics.values_of_lists(f, 'items_with_popularity' ~ f.suffix, keys, 'count(*)') }}
{%- endmacro -%}
