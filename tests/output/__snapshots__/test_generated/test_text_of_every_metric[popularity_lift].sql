-- popularity_lift of impressions
with
sqlmetrics_all_counts as not materialized (
    -- one per item that was seen
    select
        item as item_id,
        cast(count as double) as seen
    from all_popularity
    where item is not null
        and (isfinite(cast(count as double)) or isinf(cast(count as double))) is true
        and count > 0
),
sqlmetrics_all_histories as (
    -- one per item that a group had before
    select
        user_id as group_id,
        item as item_id
    from all_history
    where user_id is not null
        and item is not null
),
source as (
    -- input columns under canonical names
    select
        cast(pctr as double) as score,
        user_id as group_id,
        item as item_id,
        item as tie_key
    from impressions
),
valid_rows as (
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
lists_with_popularity as (
    -- one per item of a list
    select
        group_id,
        item_id,
        1 as row_count
    from valid_rows
),
popularity_of_history as (
    -- one per group that had something before
    select
        sqlmetrics_all_histories.group_id as group_id,
        sum(coalesce(sqlmetrics_all_counts.seen, 0)) / cast(count(*) as double) as history_popularity
    from sqlmetrics_all_histories
    left join sqlmetrics_all_counts on sqlmetrics_all_histories.item_id = sqlmetrics_all_counts.item_id
    group by sqlmetrics_all_histories.group_id
),
items_with_popularity as (
    -- items of lists, with the mean popularity of the history of their group
    select
        listed.group_id as group_id,
        coalesce(sqlmetrics_all_counts.seen, 0) as seen,
        profiles.history_popularity as history_popularity
    from lists_with_popularity as listed
    left join sqlmetrics_all_counts on listed.item_id = sqlmetrics_all_counts.item_id
    left join popularity_of_history as profiles on listed.group_id = profiles.group_id
),
list_popularity as (
    -- one per list, with the history of its group
    select
        group_id,
        case when max(history_popularity) is not null then sum(seen)
            / nullif(cast(count(*) as double), 0) end as popularity_lift_listed,
        max(history_popularity) as popularity_lift_history,
        count(*) as row_count
    from items_with_popularity
    group by group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- (P of the lists − P of the histories) / P of the histories, P the mean over groups of the mean count of their items
    sum(popularity_lift_listed) / nullif(sum(popularity_lift_history), 0) - 1 as popularity_lift
from list_popularity
