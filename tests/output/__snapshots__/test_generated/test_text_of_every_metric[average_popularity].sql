-- average_popularity of impressions
with
sqlmetrics_all_counts as (
    -- one per item that was seen
    select
        item as item_id,
        cast(count as double) as seen
    from all_popularity
    where item is not null
        and (isfinite(cast(count as double)) or isinf(cast(count as double))) is true
        and count > 0
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
listed_items as not materialized (
    -- one per item of a list
    select
        group_id,
        item_id,
        cast(count(*) over (partition by group_id) as double) as list_length,
        1 as row_count
    from valid_rows
),
listed_items_metrics as (
    -- one per slice
    select
        cast(coalesce(sum(row_count), 0) as bigint) as n
    from listed_items
),
average_popularity_metrics as (
    -- mean over lists of the mean count of their items
    select
        sum(shares * coalesce(sqlmetrics_all_counts.seen, 0)) / nullif(floor(sum(shares) + 0.5), 0) as average_popularity
    from (
        select
            item_id,
            cast(sum(1 / list_length) as double) as shares
        from listed_items as lists
        group by item_id
    ) as items_of_lists
    left join sqlmetrics_all_counts on items_of_lists.item_id = sqlmetrics_all_counts.item_id
)
select
    coalesce(listed_items_metrics.n, 0) as n,
    average_popularity_metrics.average_popularity
from listed_items_metrics
left join average_popularity_metrics on 1 = 1
