-- gauc of impressions
with
source as (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        user_id as group_id
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        label as pos,
        score,
        group_id
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
        and group_id is not null
),
group_ranks as (
    -- one per row or score of a group
    select
        group_id,
        pos,
        rank() over (partition by group_id order by score desc) - 1 as rows_above,
        cume_dist() over (partition by group_id order by score desc) as cumulative_share
    from valid_rows
),
group_scores as (
    -- one per group
    select
        group_id,
        cast(count(*) as double) as weight,
        sum(pos) as positives,
        1 - (sum(pos * rows_above) + round(count(*) * sum(pos * cumulative_share)) - sum(pos) * sum(pos))
            / nullif(2 * sum(pos) * (count(*) - sum(pos)), 0) as auc,
        count(*) as row_count
    from group_ranks
    group by group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- Σ wᵤ·AUCᵤ / Σ wᵤ over the groups that hold both classes
    sum(weight * auc) / nullif(sum(case when auc is not null then weight end), 0) as gauc
from group_scores
