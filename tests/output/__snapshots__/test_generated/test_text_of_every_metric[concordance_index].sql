-- concordance_index of impressions
with
source as not materialized (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        cast(duration as double) as duration
    from impressions
),
valid_rows as not materialized (
    -- the rows that count
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
        count(*) as row_count
    from valid_rows
    group by
        duration
),
ordered_durations as not materialized (
    -- one per distinct duration, with the number of shorter ones
    select
        ordered_duration,
        weight,
        row_count,
        coalesce(sum(cast(1 as double)) over (order by ordered_duration asc rows between unbounded preceding and 1 preceding), 0) as place,
        sum(weight) over () as weight_of_all
    from distinct_durations
),
block_widths as (
    -- one per width of a block, the widest with all durations in two halves
    select
        power(2, cast(step as double)) as width
    from (
        select range as step from range(48)
    ) as steps
    cross join (
        select max(place) as last_place
        from ordered_durations
    ) as places
    where power(2, cast(step as double)) <= greatest(2 * last_place, 1)
),
block_halves as (
    -- one per block of neighbouring durations and distinct score in it
    select
        width,
        block,
        score,
        sum(case when is_upper then 0 else pos end) as events,
        sum(case when width = 1 then neg when is_upper then pos + neg else 0 end / nullif(weight_of_all, 0)) as later,
        count(*) as row_count
    from (
        select
            widths.width,
            floor(ordered.place / widths.width) as block,
            timed.score,
            timed.pos,
            timed.neg,
            ordered.weight_of_all,
            ordered.place - floor(ordered.place / widths.width) * widths.width >= widths.width / 2 as is_upper
        from valid_rows as timed
        inner join ordered_durations as ordered
            on timed.duration = ordered.ordered_duration
        cross join block_widths as widths
    ) as rows_in_blocks
    where width = 1 or is_upper or pos > 0
    group by
        width,
        block,
        score
),
duration_blocks as (
    -- one per block of neighbouring durations and distinct score in it
    select
        width,
        block,
        score,
        events,
        later,
        row_count,
        coalesce(
            sum(later) over (
                partition by width, block
                order by score asc rows between unbounded preceding and 1 preceding
            ),
            0
        ) as later_below,
        sum(later) over (partition by width, block) as later_in_block
    from block_halves
)
select
    cast(coalesce(sum(case when width = 1 then row_count else 0 end), 0) as bigint) as n,
    -- of the pairs of rows of which one has the event, and the other lasts longer, or as long without it, the share in which the first has the higher
    -- score, ties half, a pair weighs w₁·w₂
    sum(events * (later_below + later / 2)) / nullif(sum(events * later_in_block), 0) as concordance_index
from duration_blocks
