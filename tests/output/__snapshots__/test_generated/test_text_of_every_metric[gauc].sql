-- gauc of impressions
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
        label as pos,
        1 - label as neg,
        score,
        group_id
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
        and group_id is not null
),
labelled_group_scores as (
    -- what is sorted
    select
        group_id,
        cast(pos as tinyint) as pos,
        score
    from observations
),
group_ranks as (
    -- one per row or score of a group
    select
        group_id,
        cast(pos as double) as pos,
        cast(1 - pos as double) as neg,
        cast(rank() over (partition by group_id order by score desc) - 1 as double) as rows_above,
        cume_dist() over (partition by group_id order by score desc) as share_through
    from labelled_group_scores
),
group_scores as (
    -- one per group
    select
        group_id,
        cast(count(*) as double) as weight,
        sum(pos) as positives,
        1 - (
            (sum(pos * rows_above) + case when count(*) * sum(pos * share_through) < 1e15 then floor(count(*) * sum(pos * share_through) + 0.5) else count(*) * sum(pos * share_through) end) / 2
            - sum(pos) * sum(pos) / 2
        ) / nullif(sum(pos) * (count(*) - sum(pos)), 0) as auc,
        count(*) as row_count
    from group_ranks
    group by
        group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- Σ wᵤ·AUCᵤ / Σ wᵤ over the groups that hold both classes
    sum(weight * auc) / nullif(sum(case when auc is not null then weight end), 0) as gauc
from group_scores
