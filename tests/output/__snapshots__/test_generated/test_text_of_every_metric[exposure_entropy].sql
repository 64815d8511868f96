-- exposure_entropy of impressions
with
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
exposure_entropy_metrics as (
    -- −Σ q·ln q, q the share of each item among all that are listed
    select
        ln(sum(exposures)) - sum(exposures * ln(exposures)) / sum(exposures) as exposure_entropy
    from (
        select
            item_id,
            cast(sum(1) as double) as exposures
        from listed_items as lists
        where item_rank is not null
        group by
            item_id
    ) as items_of_lists
)
select
    coalesce(listed_items_metrics.n, 0) as n,
    exposure_entropy_metrics.exposure_entropy
from listed_items_metrics
left join exposure_entropy_metrics
    on 1 = 1
