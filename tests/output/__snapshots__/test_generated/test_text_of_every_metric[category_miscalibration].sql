-- category_miscalibration of impressions
with
sqlmetrics_all_histories as (
    -- one per item that a group had before
    select
        user_id as group_id,
        item as item_id
    from all_history
    where user_id is not null
        and item is not null
),
sqlmetrics_all_categories as not materialized (
    -- one per item and category of it
    select
        item as item_id,
        category as category
    from all_item_categories
    where item is not null
        and category is not null
),
source as not materialized (
    -- input columns under canonical names
    select
        cast(pctr as double) as score,
        user_id as group_id,
        item as item_id,
        item as tie_key
    from impressions
),
valid_rows as not materialized (
    -- rows without missing values
    select
        score,
        group_id,
        item_id,
        tie_key
    from source
    where (isfinite(score) or isinf(score)) is true
        and group_id is not null
        and item_id is not null
),
lists_with_categories as not materialized (
    -- one per item of a list
    select
        group_id,
        item_id,
        1 as row_count
    from valid_rows
),
lengths_of_lists as materialized (
    -- one per list
    select
        group_id,
        count(*) as row_count
    from lists_with_categories
    group by group_id
),
numbered_categories as (
    -- category numbers, which are faster to group by than strings
    select
        category,
        row_number() over (order by category asc) as category_number
    from (select distinct category from sqlmetrics_all_categories) as distinct_categories
),
category_shares as materialized (
    -- one per item and category, with its share of the item
    select
        all_categories.item_id as item_id,
        numbered_categories.category_number as category,
        1 / cast(count(*) over (partition by all_categories.item_id) as double) as share
    from sqlmetrics_all_categories as all_categories
    inner join numbered_categories as numbered_categories on all_categories.category = numbered_categories.category
),
categories_of_lists as materialized (
    -- one per list and category, with sums over the list and over the history
    select
        group_id,
        category,
        sum(listed) as listed,
        sum(history_weight) as history_weight
    from (
        select
            lists_of_groups.group_id as group_id,
            category_shares.category as category,
            category_shares.share as listed,
            cast(0 as double) as history_weight
        from lists_with_categories as lists_of_groups
        inner join category_shares as category_shares on lists_of_groups.item_id = category_shares.item_id
        union all
        select
            groups_with_lists.group_id as group_id,
            category_shares.category as category,
            cast(0 as double) as listed,
            category_shares.share as history_weight
        from lengths_of_lists as groups_with_lists
        inner join sqlmetrics_all_histories on groups_with_lists.group_id = sqlmetrics_all_histories.group_id
        inner join category_shares as category_shares on sqlmetrics_all_histories.item_id = category_shares.item_id
    ) as categories_of_both
    group by group_id, category
),
totals_of_lists as (
    -- one per list, over its categories
    select
        group_id,
        sum(listed) as listed_total,
        sum(history_weight) as history_total
    from categories_of_lists
    group by group_id
),
shares_of_lists as (
    -- one per list and category, as shares of the totals
    select
        lengths_of_lists.group_id as group_id,
        listed / nullif(listed_total, 0) as listed_share,
        history_weight / nullif(history_total, 0) as history_share,
        lengths_of_lists.row_count as row_count
    from lengths_of_lists as lengths_of_lists
    left join totals_of_lists as totals_of_lists on lengths_of_lists.group_id = totals_of_lists.group_id
    left join categories_of_lists as categories_of_lists on lengths_of_lists.group_id = categories_of_lists.group_id
),
list_categories as (
    -- one per list, from the categories of its items and of the history of its group
    select
        group_id,
        sum(case
            when history_share > 0 then history_share * ln(history_share / ((1 - 0.01) * listed_share + 0.01 * history_share))
        end) as category_miscalibration,
        max(row_count) as row_count
    from shares_of_lists
    group by group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- Σ p·ln(p / ((1 − α)·q + α·p)), p the share of each category in what a group had before and q in its list, then the mean over groups
    avg(category_miscalibration) as category_miscalibration
from list_categories
