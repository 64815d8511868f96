-- discrimination of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
valid_rows as (
    -- the rows that count
    select
        label as pos,
        1 - label as neg,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
scores_to_recalibrate as materialized (
    -- one per distinct score
    select
        score,
        sum(pos) as pos,
        count(*) - sum(pos) as neg,
        count(*) as row_count
    from valid_rows
    group by
        score
),
pooled_scores as materialized (
    -- scores whose rates do not rise are one block
    select
        min(score) as lowest_score,
        cast(sum(pos) as double) as pos,
        cast(sum(neg) as double) as neg
    from (
        select
            score,
            pos,
            neg,
            max(first_score) over (order by score asc rows unbounded preceding) as run
        from (
            select
                score,
                pos,
                neg,
                case when cast(pos as double) / cast(pos + neg as double)
                    <= lag(cast(pos as double) / cast(pos + neg as double)) over (order by score asc)
                    then null else score end as first_score
            from scores_to_recalibrate
        ) as rising_rates
    ) as runs
    group by
        run
),
places_of_pooled_scores as (
    -- these, numbered from 0
    select
        lowest_score,
        pos,
        neg,
        coalesce(sum(cast(1 as double)) over (order by lowest_score asc rows between unbounded preceding and 1 preceding), 0) as place
    from pooled_scores
),
digits as not materialized (
    select range as digit from range(8)
),
first_blocks as materialized (
    -- the numbers that blocks may have
    select 1 + ones.digit + 8 * eights.digit + 64 * squares.digit + 512 * cubes.digit + 4096 * fourths.digit as first_block
    from digits as ones
    cross join digits as eights
    cross join digits as squares
    cross join digits as cubes
    cross join digits as fourths
),
blocks_of_places_8 as materialized (
    -- the blocks of 8 places each
    select
        block as lowest_score,
        min(place) as place,
        sum(pos) as pos,
        sum(neg) as neg,
        row_number() over (partition by cast(floor(min(place) / 64) as bigint) order by block asc) as number_in_bucket
    from (
        select
            place,
            pos,
            neg,
            max(first_score) over (
            partition by cast(floor(place / 8) as bigint)
            order by lowest_score asc rows unbounded preceding
        ) as block
        from (
            select
                place,
                lowest_score,
                max(pos) as pos,
                max(neg) as neg,
                case when max(lowest_rate)
                    <= (1 + 1e-12) * lag(max(lowest_rate)) over (partition by cast(floor(place / 8) as bigint) order by lowest_score asc)
                    then null else lowest_score end as first_score
            from (
                select
                    place,
                    lowest_score,
                    pos,
                    neg,
                    min(rate) over (
            partition by cast(floor(place / 8) as bigint), first_block
            order by lowest_score desc rows unbounded preceding
        ) as lowest_rate
                from (
                    select
                        place,
                        lowest_score,
                        pos,
                        neg,
                        first_block,
                        sum(pos) over (
            partition by cast(floor(place / 8) as bigint), first_block
            order by lowest_score asc rows unbounded preceding
        )
                            / sum(pos + neg) over (
            partition by cast(floor(place / 8) as bigint), first_block
            order by lowest_score asc rows unbounded preceding
        ) as rate
                    from places_of_pooled_scores
                    cross join first_blocks
                    where first_block <= place - 8 * floor(place / 8) + 1
                        and first_block <= 8
                ) as rates_from_first
            ) as lowest_rates
            group by
                place,
                lowest_score
        ) as starts
    ) as parts_of_blocks
    group by
        block
),
blocks_of_places_64 as materialized (
    -- the blocks of 64 places each
    select
        block as lowest_score,
        min(place) as place,
        sum(pos) as pos,
        sum(neg) as neg,
        row_number() over (partition by cast(floor(min(place) / 1024) as bigint) order by block asc) as number_in_bucket
    from (
        select
            place,
            pos,
            neg,
            max(first_score) over (
            partition by cast(floor(place / 64) as bigint)
            order by lowest_score asc rows unbounded preceding
        ) as block
        from (
            select
                place,
                lowest_score,
                max(pos) as pos,
                max(neg) as neg,
                case when max(lowest_rate)
                    <= (1 + 1e-12) * lag(max(lowest_rate)) over (partition by cast(floor(place / 64) as bigint) order by lowest_score asc)
                    then null else lowest_score end as first_score
            from (
                select
                    place,
                    lowest_score,
                    pos,
                    neg,
                    min(rate) over (
            partition by cast(floor(place / 64) as bigint), first_block
            order by lowest_score desc rows unbounded preceding
        ) as lowest_rate
                from (
                    select
                        place,
                        lowest_score,
                        pos,
                        neg,
                        first_block,
                        sum(pos) over (
            partition by cast(floor(place / 64) as bigint), first_block
            order by lowest_score asc rows unbounded preceding
        )
                            / sum(pos + neg) over (
            partition by cast(floor(place / 64) as bigint), first_block
            order by lowest_score asc rows unbounded preceding
        ) as rate
                    from blocks_of_places_8
                    cross join first_blocks
                    where first_block <= number_in_bucket
                        and first_block <= 64
                ) as rates_from_first
            ) as lowest_rates
            group by
                place,
                lowest_score
        ) as starts
    ) as parts_of_blocks
    group by
        block
),
blocks_of_places_1024 as materialized (
    -- the blocks of 1024 places each
    select
        block as lowest_score,
        min(place) as place,
        sum(pos) as pos,
        sum(neg) as neg
    from (
        select
            place,
            pos,
            neg,
            max(first_score) over (
            partition by cast(floor(place / 1024) as bigint)
            order by lowest_score asc rows unbounded preceding
        ) as block
        from (
            select
                place,
                lowest_score,
                max(pos) as pos,
                max(neg) as neg,
                case when max(lowest_rate)
                    <= (1 + 1e-12) * lag(max(lowest_rate)) over (partition by cast(floor(place / 1024) as bigint) order by lowest_score asc)
                    then null else lowest_score end as first_score
            from (
                select
                    place,
                    lowest_score,
                    pos,
                    neg,
                    min(rate) over (
            partition by cast(floor(place / 1024) as bigint), first_block
            order by lowest_score desc rows unbounded preceding
        ) as lowest_rate
                from (
                    select
                        place,
                        lowest_score,
                        pos,
                        neg,
                        first_block,
                        sum(pos) over (
            partition by cast(floor(place / 1024) as bigint), first_block
            order by lowest_score asc rows unbounded preceding
        )
                            / sum(pos + neg) over (
            partition by cast(floor(place / 1024) as bigint), first_block
            order by lowest_score asc rows unbounded preceding
        ) as rate
                    from blocks_of_places_64
                    cross join first_blocks
                    where first_block <= number_in_bucket
                        and first_block <= 1024
                ) as rates_from_first
            ) as lowest_rates
            group by
                place,
                lowest_score
        ) as starts
    ) as parts_of_blocks
    group by
        block
),
stretches_of_blocks as materialized (
    -- these, with stretches that no block reaches across
    select
        lowest_score,
        pos,
        neg,
        stretch,
        case when row_number() over (partition by stretch order by lowest_score asc) > 32768
            then cast(error('isotonic regression: over 32768 blocks up to the score ' || cast(lowest_score as varchar) || ': round the scores') as double)
            else row_number() over (partition by stretch order by lowest_score asc) end as number_in_bucket
    from (
        select
            lowest_score,
            pos,
            neg,
            sum(starts_stretch) over (order by lowest_score asc rows unbounded preceding) as stretch
        from (
            select
                *,
                case
                    when (1 + 1e-12)
                            * max(pos / (pos + neg)) over (order by lowest_score asc rows between unbounded preceding and 1 preceding)
                        >= min(pos / (pos + neg)) over (order by lowest_score desc rows unbounded preceding) then 0
                    else 1
                end as starts_stretch
            from blocks_of_places_1024
        ) as starts
    ) as blocks_in_stretches
),
blocks_of_scores as (
    -- one per block of scores that isotonic regression gives one rate
    select
        block as lowest_score,
        sum(pos) / nullif(sum(pos + neg), 0) as rate,
        sum(neg) / nullif(sum(pos + neg), 0) as rate_of_negatives
    from (
        select
            stretch,
            pos,
            neg,
            max(first_score) over (partition by stretch order by lowest_score asc rows unbounded preceding) as block
        from (
            select
                stretch,
                lowest_score,
                max(pos) as pos,
                max(neg) as neg,
                case when max(lowest_rate)
                    <= (1 + 1e-12) * lag(max(lowest_rate)) over (partition by stretch order by lowest_score asc)
                    then null else lowest_score end as first_score
            from (
                select
                    stretch,
                    lowest_score,
                    pos,
                    neg,
                    min(rate) over (partition by stretch, first_block order by lowest_score desc rows unbounded preceding) as lowest_rate
                from (
                    select
                        stretch,
                        lowest_score,
                        pos,
                        neg,
                        first_block,
                        sum(pos) over (partition by stretch, first_block order by lowest_score asc rows unbounded preceding)
                            / sum(pos + neg) over (partition by stretch, first_block order by lowest_score asc rows unbounded preceding) as rate
                    from stretches_of_blocks
                    cross join first_blocks
                    where first_block <= number_in_bucket
                ) as rates_from_first
            ) as lowest_rates
            group by
                stretch,
                lowest_score
        ) as starts
    ) as parts_of_blocks
    group by
        block
),
recalibrated_scores as (
    -- one per distinct score, beside its rate by isotonic regression
    select
        score,
        pos,
        neg,
        row_count,
        rate_of_negatives,
        highest_rate as rate
    from (
        select
            score,
            pos,
            neg,
            row_count,
            after_block,
            min(rate_of_negatives) over (order by score asc, after_block asc rows unbounded preceding) as rate_of_negatives,
            max(rate) over (order by score asc, after_block asc rows unbounded preceding) as highest_rate
        from (
            select
                score,
                pos,
                neg,
                row_count,
                1 as after_block,
                cast(null as double) as rate_of_negatives,
                cast(null as double) as rate
            from scores_to_recalibrate
            union all
            select
                lowest_score as score,
                0 as pos,
                0 as neg,
                0 as row_count,
                0 as after_block,
                rate_of_negatives,
                rate
            from blocks_of_scores
        ) as scores_and_blocks
    ) as rates_so_far
    where after_block = 1
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- S(ȳ) − mean S(r, y), r the scores recalibrated by isotonic regression, ȳ the rate of positives, S the loss of a row
    greatest(
            sum(pos) * (sum(neg) / nullif(sum(pos + neg), 0))
            - sum(pos * rate_of_negatives * rate_of_negatives + neg * rate * rate),
            0
        ) / nullif(sum(pos + neg), 0) as discrimination
from recalibrated_scores
