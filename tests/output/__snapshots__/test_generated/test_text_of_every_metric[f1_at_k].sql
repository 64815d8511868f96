-- f1_at_2 of impressions
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
        case when sum(relevant) > 0 then 2 * sum(case when item_rank <= 2 then relevant else 0 end) / (2 + sum(relevant)) end as f1_at_2,
        count(*) as row_count
    from ranked_items
    group by
        group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- 2·hits / (k + R), then the mean over groups
    avg(f1_at_2) as f1_at_2
from group_values
