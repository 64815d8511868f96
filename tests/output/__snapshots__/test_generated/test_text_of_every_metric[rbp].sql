-- rbp of impressions
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
        case when sum(relevant) > 0 then (1 - 0.8) * coalesce(sum(case when item_rank is not null then relevant * case when item_rank - 1 = 0 then 1 when (item_rank - 1) * ln(nullif(cast(0.8 as double), 0)) > -700 then power(cast(0.8 as double), item_rank - 1) else 0 end end), 0) end as rbp,
        count(*) as row_count
    from ranked_items
    group by
        group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- (1 − p)·Σ gain(relᵢ)·p^(i − 1), then the mean over groups
    avg(rbp) as rbp
from group_values
