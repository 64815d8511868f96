-- gini_exposure of impressions
with
all_items as materialized (
    -- one per item of the catalogue
    select distinct
        item as item_id
    from all_catalog
    where item is not null
),
source as not materialized (
    -- the columns that are read, under the names that all steps use
    select
        cast(pctr as double) as score,
        user_id as group_id,
        item as item_id,
        item as tie_key
    from impressions
),
observations as not materialized (
    -- the rows that count
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
        row_number() over (partition by group_id order by score desc, tie_key desc nulls last, item_id desc nulls last) as item_rank,
        1 as row_count
    from observations
),
listed_items_metrics as (
    -- one per slice
    select
        cast(coalesce(sum(row_count), 0) as bigint) as n
    from listed_items
),
gini_exposure_metrics as (
    -- Σ (2i − n − 1)·cᵢ / (n·Σ c), cᵢ how often each item of the catalogue is listed, ascending
    select
        sum(equals * (2 * (items - items_listed + items_to_here) - equals - items) * exposures) / nullif(max(items) * sum(equals * exposures), 0) as gini_exposure
    from (
        select
            exposures,
            equals,
            sum(equals) over (order by exposures asc rows unbounded preceding) as items_to_here,
            sum(equals) over () as items_listed,
            (select cast(count(*) as double) from all_items) as items
        from (
            select
                exposures,
                cast(count(all_items.item_id) as double) as equals
            from (
                select
                    item_id,
                    cast(sum(1) as double) as exposures
                from listed_items as lists
                where item_rank is not null
                group by
                    item_id
            ) as items_of_lists
            left join all_items
                on items_of_lists.item_id = all_items.item_id
            group by
                exposures
        ) as items_of_exposures
    ) as exposures_in_order
)
select
    coalesce(listed_items_metrics.n, 0) as n,
    gini_exposure_metrics.gini_exposure
from listed_items_metrics
left join gini_exposure_metrics
    on 1 = 1
