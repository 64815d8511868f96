-- err of impressions
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
        row_number() over (partition by group_id order by score desc, label asc) as item_rank,
        coalesce(sum(case when label between 0 and 3 then ln(1 - (power(2, label) - 1) / power(2, 3)) end) over (partition by group_id order by score desc, label asc rows between unbounded preceding and 1 preceding), 0) as log_go_on
    from observations
),
group_values as (
    -- one per group, from its items in their order
    select
        group_id,
        case when sum(label) > 0 then coalesce(sum(case when item_rank is not null then (power(2, label) - 1) / power(2, 3) * (case when log_go_on < -700 then 0 else exp(log_go_on) end) / item_rank end), 0) end as err,
        count(*) as row_count
    from ranked_items
    group by
        group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- Σ Rᵢ/i · Π over the items above of (1 − Rⱼ), R = (2^label − 1) / 2^max_label, then the mean over groups
    avg(err) as err
from group_values
