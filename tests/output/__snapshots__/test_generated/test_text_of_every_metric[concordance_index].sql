-- concordance_index of impressions
with
source as not materialized (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        cast(duration as double) as duration
    from impressions
),
valid_rows as not materialized (
    -- rows without missing values
    select
        label as pos,
        1 - label as neg,
        score,
        duration
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
        and (isfinite(duration) or isinf(duration)) is true
),
distinct_durations as not materialized (
    -- one per distinct duration
    select
        duration as ordered_duration,
        sum(pos + neg) as weight,
        max(case when pos > 0 then 1 else 0 end) as has_event,
        count(*) as row_count
    from valid_rows
    group by duration
),
ordered_durations as not materialized (
    -- one per distinct duration, with the number of shorter ones that have an event
    select
        ordered_duration,
        has_event,
        weight,
        row_count,
        coalesce(
            sum(cast(has_event as double)) over (order by ordered_duration asc rows between unbounded preceding and 1 preceding),
            0
        ) as event_rank,
        sum(weight) over () as weight_of_all
    from distinct_durations
),
block_widths as not materialized (
    -- one per cut
    select
        step,
        power(4, cast(step as double)) as width
    from (
        select range as step from range(24)
    ) as steps
    cross join (
        select max(event_rank + has_event) as last_event_rank
        from ordered_durations
    ) as event_ranks
    where power(4, cast(step as double)) <= last_event_rank
),
ranked_durations as materialized (
    -- one per row, with its event rank
    select
        timed.score as score,
        cast(case when timed.pos > 0 then 1 else 0 end as tinyint) as is_event,
        event_rank + case when timed.pos > 0 then 0 else has_event end as event_rank
    from valid_rows as timed
    inner join ordered_durations as ordered on timed.duration = ordered.ordered_duration
),
cuts as not materialized (
    -- one per row and cut, with its part
    select
        score,
        is_event,
        step,
        floor(event_rank / width) as rank_in_cut,
        floor(event_rank / width) - 4 * floor(event_rank / width / 4) as part
    from ranked_durations
    cross join block_widths as widths
),
meetings as (
    -- one per part that a row is in, or that comes later than a row with the event
    select
        score,
        32 * rank_in_cut + step as block,
        cast(0 as tinyint) as is_event
    from cuts
    where part > 0
    union all
    select
        score,
        32 * (rank_in_cut + ahead) + step as block,
        is_event
    from cuts
    cross join (select 1 as ahead union all select 2 as ahead union all select 3 as ahead) as parts_ahead
    where is_event = 1
        and part + ahead < 4
),
ranked_meetings as (
    -- ranks by score in each block
    select
        block,
        cast(is_event as double) as event,
        rank() over (partition by block order by score asc) - 1 as rows_below,
        cume_dist() over (partition by block order by score asc) as cumulative_share
    from meetings
),
duration_blocks as (
    -- one per block of neighbouring durations, or per distinct score in it, and one per duration with its rows
    select
        (sum(event * rows_below) + round(count(*) * sum(event * cumulative_share)) - sum(event) * sum(event)) / 2 as won,
        sum(event) * (count(*) - sum(event)) as pairs,
        0 as row_count
    from ranked_meetings
    group by block
    union all
    select
        0 as won,
        0 as pairs,
        row_count
    from ordered_durations
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- of the pairs of rows of which one has the event, and the other lasts longer, or as long without it, the share in which the first has the higher
    -- score, ties half, a pair weighs w₁·w₂
    sum(won) / nullif(sum(pairs), 0) as concordance_index
from duration_blocks
