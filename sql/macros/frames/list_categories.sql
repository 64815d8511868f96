{#-
title: categories of lists
rows: one per list, from the categories of its items and of the history of its group
unit: group
group_values: columns
columns: group_id, category, history_share (of what the group had before, the share that is of the category) and, of a list that is cut at k, listed_share_at_k (the same of the list, without k listed_share)
relations: [history, item_categories]
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
-#}

{%- macro list_categories(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set ranks = sqlmetrics.rank_to_cut(f) -%}
{%- set within_cuts = sqlmetrics.within_cuts(f) -%}
{%- set cuts = {} -%}
{%- for m in f.metrics -%}{%- do cuts.update({sqlmetrics.name_of_cut(m, 'listed'): m.k}) -%}{%- endfor -%}
{{ sqlmetrics.lists(f, 'lists_with_categories' ~ f.suffix, rows_from, keys, repeated=true) }}
{{ sqlmetrics.cte('lengths_of_lists' ~ f.suffix, 'one per list', materialized=true) }}
{{ sqlmetrics.sums_by(group_keys, [], 'lists_with_categories' ~ f.suffix) }}
{{ sqlmetrics.cte('numbered_categories' ~ f.suffix, 'category numbers, which are faster to group by than strings') }}
select
    category,
    row_number() over (order by category asc) as category_number
from (select distinct category from sqlmetrics_all_categories) as distinct_categories
{#- An item with n categories counts 1/n in each. #}
{{ sqlmetrics.cte('category_shares' ~ f.suffix, 'one per item and category, with its share of the item', materialized=true) }}
select
    all_categories.item_id as item_id,
    numbered_categories.category_number as category,
    1 / {{ sqlmetrics.to_double('count(*) ' ~ sqlmetrics.over(['all_categories.item_id'])) }} as share
from sqlmetrics_all_categories as all_categories
inner join numbered_categories{{ f.suffix }} as numbered_categories on all_categories.category = numbered_categories.category
{{ sqlmetrics.cte('categories_of_lists' ~ f.suffix, 'one per list and category, with sums over the list and over the history', materialized=true) }}
select
    {{- sqlmetrics.leading(group_keys + ['category']) }}
    {%- for name, k in cuts.items() %}
    {{ sqlmetrics.sum_of_first(k, 'listed') }} as {{ name }},
    {%- endfor %}
    sum(history_weight) as history_weight
from (
    select
        {{- sqlmetrics.leading(group_keys + ranks, 'lists_of_groups', depth=2) }}
        category_shares.category as category,
        category_shares.share as listed,
        {{ sqlmetrics.to_double('0') }} as history_weight
    from lists_with_categories{{ f.suffix }} as lists_of_groups
    inner join category_shares{{ f.suffix }} as category_shares on lists_of_groups.item_id = category_shares.item_id
    {{- '\n    where lists_of_groups.' ~ within_cuts if within_cuts }}
    union all
    select
        {{- sqlmetrics.leading(group_keys, 'groups_with_lists', depth=2) }}
        {{- sqlmetrics.leading(['0 as item_rank'] if ranks else [], depth=2) }}
        category_shares.category as category,
        {{ sqlmetrics.to_double('0') }} as listed,
        category_shares.share as history_weight
    from lengths_of_lists{{ f.suffix }} as groups_with_lists
    inner join sqlmetrics_all_histories on groups_with_lists.group_id = sqlmetrics_all_histories.group_id
    inner join category_shares{{ f.suffix }} as category_shares on sqlmetrics_all_histories.item_id = category_shares.item_id
) as categories_of_both
{{- sqlmetrics.group_by(group_keys + ['category']) }}
{{ sqlmetrics.cte('totals_of_lists' ~ f.suffix, 'one per list, over its categories') }}
select
    {{- sqlmetrics.leading(group_keys) }}
    {%- for name in cuts %}
    sum({{ name }}) as {{ name }}_total,
    {%- endfor %}
    sum(history_weight) as history_total
from categories_of_lists{{ f.suffix }}
{{- sqlmetrics.group_by(group_keys) }}
{{ sqlmetrics.cte('shares_of_lists' ~ f.suffix, 'one per list and category, as shares of the totals') }}
select
    {{- sqlmetrics.leading(group_keys, 'lengths_of_lists') }}
    {%- for name in cuts %}
    {{ name }} / nullif({{ name }}_total, 0) as {{ name | replace('listed', 'listed_share') }},
    {%- endfor %}
    history_weight / nullif(history_total, 0) as history_share,
    lengths_of_lists.row_count as row_count
from lengths_of_lists{{ f.suffix }} as lengths_of_lists
left join totals_of_lists{{ f.suffix }} as totals_of_lists{{ sqlmetrics.on('lengths_of_lists', 'totals_of_lists', group_keys) }}
left join categories_of_lists{{ f.suffix }} as categories_of_lists{{ sqlmetrics.on('lengths_of_lists', 'categories_of_lists', group_keys) }}
{{ sqlmetrics.values_of_lists(f, 'shares_of_lists' ~ f.suffix, keys, 'max(row_count)') }}
{%- endmacro -%}
