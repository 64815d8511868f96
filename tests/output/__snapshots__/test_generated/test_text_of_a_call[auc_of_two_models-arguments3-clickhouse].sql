-- auc, copc of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) + 0 as label,
        cast(pctr_a as double) + 0 as score_1,
        cast(pctr_b as double) + 0 as score_2
    from impressions
),
compared as (
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
observations as (
    -- the rows that count
    select
        model_id,
        label as pos,
        1 - label as neg,
        score
    from compared
    where label is not null
        and not isNaN(label)
        and score is not null
        and not isNaN(score)
),
slices as (
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
sliced as (
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
settings
    join_use_nulls = 1,
    join_default_strictness = 'ALL',
    aggregate_functions_null_for_empty = 1,
    empty_result_for_aggregation_by_empty_set = 0,
    cast_keep_nullable = 1,
    count_distinct_implementation = 'uniqExact',
    extremes = 0,
    limit = 0,
    offset = 0,
    skip_unavailable_shards = 0,
    read_overflow_mode = 'throw',
    group_by_overflow_mode = 'throw',
    distinct_overflow_mode = 'throw',
    set_overflow_mode = 'throw',
    join_overflow_mode = 'throw',
    sort_overflow_mode = 'throw',
    transfer_overflow_mode = 'throw',
    result_overflow_mode = 'throw',
    timeout_overflow_mode = 'throw',
    prefer_column_name_to_alias = 1
