-- group_auc of impressions
with
source as not materialized (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        user_id as group_id
    from impressions
),
observations as not materialized (
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
labelled_group_scores as not materialized (
    -- what is sorted
    select
        group_id,
        cast(pos as tinyint) as pos,
        score
    from observations
),
group_ranks as not materialized (
    -- one per row or score of a group
    select
        group_id,
        cast(pos as double) as pos,
        cast(1 - pos as double) as neg,
        cast(rank() over (partition by group_id order by score desc) - 1 as double) as rows_above,
        cume_dist() over (partition by group_id order by score desc) as share_through
    from labelled_group_scores
),
group_scores as not materialized (
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
),
group_auc as (
    -- one row per group, its AUC, rows and positives
    select
        group_id,
        auc,
        cast(row_count as bigint) as "rows",
        positives
    from group_scores
)
select
    group_auc.group_id as user_id,
    group_auc.auc,
    group_auc."rows",
    group_auc.positives
from group_auc
order by
    group_auc.group_id asc
