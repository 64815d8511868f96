{#-
title: categories of lists
rows: one per list, from the categories of its items and of the history of its group
unit: group
group_values: columns
columns: group_id, category, held_share (of what the group had before, the share that is of the category) and, of a list that is cut at k, listed_share_at_k (the same of the list, without k listed_share)
relations: [history, item_categories]
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
-#}

{#- An item of n categories is 1/n of an item in each. -#}
{%- macro list_categories(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set whole = sqlmetrics.over(group_keys) -%}
{%- set listed = 'lists_with_categories' ~ f.suffix -%}
{%- set shares = 'category_shares' ~ f.suffix -%}
{%- set cuts = {} -%}
{%- for m in f.metrics -%}{%- do cuts.update({sqlmetrics.name_of_cut(m, 'listed_share'): sqlmetrics.first_items(m)}) -%}{%- endfor -%}
{{ sqlmetrics.lists(f, listed, rows_from, keys) }}
{{ sqlmetrics.cte(shares, 'one per item and category, with its share of the item') }}
select
    item_id,
    category,
    1 / {{ sqlmetrics.to_double('count(*) ' ~ sqlmetrics.over(['item_id'])) }} as share
from sqlmetrics_all_categories
{{ sqlmetrics.cte('categories_of_lists' ~ f.suffix, 'one per list and category, of what is listed and of what was had before') }}
select
    {{- sqlmetrics.leading(group_keys + ['category']) }}
    sum(held) as held_sum,
    {%- for name, counted in cuts.items() %}
    sum(case when {{ counted }} then listed else 0 end) as {{ name }}_sum,
    {%- endfor %}
    max(item_rank) as last_rank
from (
    select
        {{- sqlmetrics.leading(group_keys, 'lists_of_groups', depth=2) }}
        category_shares.category as category,
        coalesce(category_shares.share, 0) as listed,
        {{ sqlmetrics.to_double('0') }} as held,
        lists_of_groups.item_rank as item_rank
    from {{ listed }} as lists_of_groups
    left join {{ shares }} as category_shares
        on lists_of_groups.item_id = category_shares.item_id
    union all
    select
        {{- sqlmetrics.leading(group_keys, 'groups_with_lists', depth=2) }}
        category_shares.category as category,
        {{ sqlmetrics.to_double('0') }} as listed,
        category_shares.share as held,
        0 as item_rank
    from (select distinct {{ group_keys | join(', ') }} from {{ listed }}) as groups_with_lists
    inner join sqlmetrics_all_histories
        on groups_with_lists.group_id = sqlmetrics_all_histories.group_id
    inner join {{ shares }} as category_shares
        on sqlmetrics_all_histories.item_id = category_shares.item_id
) as categories_of_both
{{- sqlmetrics.group_by(group_keys + ['category']) }}
{{ sqlmetrics.cte('shares_of_lists' ~ f.suffix, 'the same, as shares of the whole') }}
select
    {{- sqlmetrics.leading(group_keys) }}
    held_sum / nullif(sum(held_sum) {{ whole }}, 0) as held_share,
    {%- for name in cuts %}
    {{ name }}_sum / nullif(sum({{ name }}_sum) {{ whole }}, 0) as {{ name }},
    {%- endfor %}
    last_rank
from categories_of_lists{{ f.suffix }}
{{ sqlmetrics.values_of_lists(f, 'shares_of_lists' ~ f.suffix, keys, 'max(last_rank)') }}
{%- endmacro -%}
