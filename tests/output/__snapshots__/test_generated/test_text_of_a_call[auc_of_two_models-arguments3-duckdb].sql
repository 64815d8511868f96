-- auc, copc of impressions
with
source as not materialized (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr_a as double) as score_1,
        cast(pctr_b as double) as score_2
    from impressions
),
compared as not materialized (
    -- each row once for every grouping and model
    select
        models.model_id,
        case models.model_id when 1 then source.score_1 when 2 then source.score_2 end as score,
        source.label
    from source
    cross join (
        select 1 as model_id
        union all
        select 2 as model_id
    ) as models
),
observations as not materialized (
    -- the rows that count
    select
        model_id,
        label as pos,
        1 - label as neg,
        score
    from compared
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
slices as materialized (
    -- one per slice
    select
        model_id,
        cast(row_number() over (order by model_id asc nulls last) as integer) as slice_id
    from (
        select 1 as model_id
        union all
        select 2 as model_id
    ) as models
),
sliced as not materialized (
    -- the rows that count, by the number of their slice
    select
        slices.slice_id,
        observations.pos,
        observations.neg,
        observations.score
    from observations
    inner join slices
        on observations.model_id is not distinct from slices.model_id
),
labelled_scores as (
    -- what is sorted
    select
        slice_id,
        cast(pos as tinyint) as pos,
        score
    from sliced
),
ranked_scores as (
    -- one per row of the log, unweighted
    select
        slice_id,
        cast(pos as double) as pos,
        cast(1 - pos as double) as neg,
        cast(rank() over (partition by slice_id order by score desc) - 1 as double) as rows_above,
        cume_dist() over (partition by slice_id order by score desc) as share_through
    from labelled_scores
),
ranked_scores_metrics as (
    -- one per slice
    select
        slice_id,
        count(*) as n,
        -- P(score of a positive > score of a negative) + ½ P(the two are equal)
        1 - (
            (sum(pos * rows_above) + case when count(*) * sum(pos * share_through) < 1e15 then floor(count(*) * sum(pos * share_through) + 0.5) else count(*) * sum(pos * share_through) end) / 2
            - sum(pos) * sum(pos) / 2
        ) / nullif(sum(pos) * (count(*) - sum(pos)), 0) as auc
    from ranked_scores
    group by
        slice_id
),
rows_metrics as (
    -- one per slice
    select
        slice_id,
        -- Σ y / Σ p
        sum(pos) / nullif(sum(score), 0) as copc
    from sliced
    group by
        slice_id
)
select
    case slices.model_id when 1 then 'pctr_a' when 2 then 'pctr_b' end as model,
    coalesce(ranked_scores_metrics.n, 0) as n,
    ranked_scores_metrics.auc,
    rows_metrics.copc
from slices
left join ranked_scores_metrics
    on slices.slice_id = ranked_scores_metrics.slice_id
left join rows_metrics
    on slices.slice_id = rows_metrics.slice_id
order by
    slices.slice_id asc
