-- coverage of impressions
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
coverage_metrics as (
    -- items of the catalogue that are in some list / items of the catalogue
    select
        case when count(*) > 0 then cast(count(all_items.item_id) as double) / nullif((select count(*) from all_items), 0) end as coverage
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
)
select
    coalesce(listed_items_metrics.n, 0) as n,
    coverage_metrics.coverage
from listed_items_metrics
left join coverage_metrics
    on 1 = 1
