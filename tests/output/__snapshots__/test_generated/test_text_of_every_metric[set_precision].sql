-- set_precision of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        user_id as group_id
    from impressions
),
observations as (
    -- the rows that count
    select
        label,
        score,
        group_id
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
        and group_id is not null
),
ranked_items as (
    -- one per item of a group
    select
        group_id,
        label,
        cast(case when label >= 1 then 1 else 0 end as double) as relevant,
        row_number() over (partition by group_id order by score desc, label asc) as item_rank
    from observations
),
group_values as (
    -- one per group, from its items in their order
    select
        group_id,
        case when sum(relevant) > 0 then coalesce(coalesce(sum(case when item_rank is not null then relevant end), 0) / nullif(cast(count(*) as double), 0), 0) end as set_precision,
        count(*) as row_count
    from ranked_items
    group by
        group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- relevant returned items / returned items, then the mean over groups
    avg(set_precision) as set_precision
from group_values
