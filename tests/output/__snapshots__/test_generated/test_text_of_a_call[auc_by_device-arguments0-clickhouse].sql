-- auc of impressions, by device
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        device as slice_1,
        cast(clicked as double) + 0 as label,
        cast(pctr as double) + 0 as score
    from impressions
),
observations as (
    -- the rows that count
    select
        slice_1,
        label as pos,
        1 - label as neg,
        score
    from source
    where label is not null
        and not isNaN(label)
        and score is not null
        and not isNaN(score)
),
slices as (
    -- one per slice
    select
        slice_1,
        cast(row_number() over (order by slice_1 asc nulls last) as integer) as slice_id
    from (
        select distinct
            slice_1
        from observations
    ) as distinct_slices
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
        on observations.slice_1 is not distinct from slices.slice_1
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
)
select
    slices.slice_1 as device,
    coalesce(ranked_scores_metrics.n, 0) as n,
    ranked_scores_metrics.auc
from slices
left join ranked_scores_metrics
    on slices.slice_id = ranked_scores_metrics.slice_id
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
