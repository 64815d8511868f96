-- e50 of impressions
with recursive
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as (
    -- the rows that count
    select
        label as pos,
        1 - label as neg,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
scores_to_recalibrate_in_blocks as materialized (
    -- one per distinct score
    select
        score,
        sum(pos) as pos,
        count(*) - sum(pos) as neg,
        count(*) as row_count
    from observations
    group by
        score
),
pooled_scores_in_blocks as (
    -- scores whose rates do not rise are one block
    select
        sum(pos) as pos,
        sum(neg) as neg,
        sum((pos + neg) * score) as score_sum,
        cast(sum(row_count) as double) as row_count,
        min(score) as lowest_score,
        max(score) as highest_score
    from (
        select
            score,
            pos,
            neg,
            row_count,
            sum(rises) over (order by score asc rows unbounded preceding) as run
        from (
            select
                score,
                pos,
                neg,
                row_count,
                case when rate <= lag(rate) over (order by score asc) then 0 else 1 end as rises
            from (
                select
                    score,
                    cast(pos as double) as pos,
                    cast(neg as double) as neg,
                    row_count,
                    cast(pos as double) / nullif(cast(pos + neg as double), 0) as rate
                from scores_to_recalibrate_in_blocks
            ) as rates
        ) as rising_rates
    ) as runs
    group by
        run
),
places_of_pooled_scores_in_blocks as (
    -- these, numbered from 0
    select
        pos,
        neg,
        score_sum,
        row_count,
        lowest_score,
        highest_score,
        coalesce(sum(cast(1 as double)) over (order by lowest_score asc rows between unbounded preceding and 1 preceding), 0) as place,
        sum(cast(1 as double)) over () as places
    from pooled_scores_in_blocks
),
merged_blocks_in_blocks as materialized (
    -- pairs of neighbours are brought in order, and count as one neighbour in the next round
    select
        place,
        cast(1 as double) as span,
        places,
        pos,
        neg,
        score_sum,
        row_count,
        lowest_score,
        highest_score,
        pos / nullif(pos + neg, 0e0) as rate,
        cast(floor(place / 2) as double) as pair,
        place - 2 * cast(floor(place / 2) as double) as place_in_pair
    from places_of_pooled_scores_in_blocks
    union all
    select
        place,
        span,
        places,
        pos,
        neg,
        score_sum,
        row_count,
        lowest_score,
        highest_score,
        pos / nullif(pos + neg, 0e0) as rate,
        cast(floor(place / (2 * span)) as double) as pair,
        place - 2 * span * cast(floor(place / (2 * span)) as double) as place_in_pair
    from (
        select
            place,
            2 * span as span,
            places,
            sum(pos) over (partition by pair, block) as pos,
            sum(neg) over (partition by pair, block) as neg,
            sum(score_sum) over (partition by pair, block) as score_sum,
            sum(row_count) over (partition by pair, block) as row_count,
            min(lowest_score) over (partition by pair, block) as lowest_score,
            max(highest_score) over (partition by pair, block) as highest_score,
            row_number() over (partition by pair, block order by place asc) as place_in_block
        from (
            select
                place,
                span,
                places,
                pos,
                neg,
                score_sum,
                row_count,
                lowest_score,
                highest_score,
                pair,
                case
                    when place_in_pair < span and (pos_of_left + pos_of_right) / nullif(pos_of_left + pos_of_right + neg_of_left + neg_of_right, 0e0) < rate then -1e0
                    when place_in_pair >= span and (pos_of_left + pos_of_right) / nullif(pos_of_left + pos_of_right + neg_of_left + neg_of_right, 0e0) > rate then -1e0
                    else place
                end as block
            from (
                select
                    place,
                    span,
                    places,
                    pos,
                    neg,
                    score_sum,
                    row_count,
                    lowest_score,
                    highest_score,
                    pair,
                    place_in_pair,
                    rate,
                    sum(case when place_in_pair < span then pos else 0e0 end) over (partition by pair order by rate desc, place desc rows unbounded preceding) as pos_of_left,
                    sum(case when place_in_pair >= span then pos else 0e0 end) over (partition by pair order by rate asc, place asc rows unbounded preceding) as pos_of_right,
                    sum(case when place_in_pair < span then neg else 0e0 end) over (partition by pair order by rate desc, place desc rows unbounded preceding) as neg_of_left,
                    sum(case when place_in_pair >= span then neg else 0e0 end) over (partition by pair order by rate asc, place asc rows unbounded preceding) as neg_of_right
                from merged_blocks_in_blocks
                where span < places
            ) as ends
        ) as pooled_ends
    ) as blocks
    where place_in_block = 1
),
blocks_of_scores as (
    -- one per block of scores that isotonic regression gives one rate
    select
        sum(pos) / nullif(sum(pos + neg), 0) as rate,
        sum(pos) as pos,
        sum(neg) as neg,
        sum(score_sum) as score_sum,
        sum(row_count) as row_count,
        min(lowest_score) as lowest_score,
        max(highest_score) as highest_score
    from (
        select
            pos,
            neg,
            score_sum,
            row_count,
            lowest_score,
            highest_score,
            sum(rises) over (order by case when rate is null then 0 else 1 end asc, rate asc, place asc rows unbounded preceding) as run
        from (
            select
                place,
                rate,
                pos,
                neg,
                score_sum,
                row_count,
                lowest_score,
                highest_score,
                case when rate is null or rate <= lag(rate) over (order by case when rate is null then 0 else 1 end asc, rate asc, place asc) * (1 + 1e-12) then 0 else 1 end as rises
            from merged_blocks_in_blocks
            where span >= places
        ) as rising_blocks
    ) as runs_of_blocks
    group by
        run
),
rates_of_scores as (
    -- one per distinct score, beside its rate by isotonic regression
    select
        score,
        pos,
        neg,
        row_count,
        highest_rate as rate
    from (
        select
            score,
            pos,
            neg,
            row_count,
            after_block,
            max(rate) over (order by score asc, after_block asc rows unbounded preceding) as highest_rate
        from (
            select
                score,
                pos,
                neg,
                row_count,
                1 as after_block,
                cast(null as double) as rate
            from scores_to_recalibrate_in_blocks
            union all
            select
                lowest_score as score,
                0 as pos,
                0 as neg,
                0 as row_count,
                0 as after_block,
                rate
            from blocks_of_scores
        ) as scores_and_blocks
    ) as rates_so_far
    where after_block = 1
),
errors_of_scores as (
    -- the same, with how far the score is from its rate
    select
        score,
        rate,
        pos,
        neg,
        row_count,
        coalesce(abs(score - rate), 0) as error
    from rates_of_scores
),
recalibrated_scores as (
    -- one per distinct score, beside its rate by isotonic regression
    select
        score,
        rate,
        pos,
        neg,
        row_count,
        error,
        sum(pos + neg) over (order by error asc rows unbounded preceding) as reached,
        sum(pos + neg) over () as total
    from errors_of_scores
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- (weighted) median of |p − r|, r the score recalibrated by isotonic regression
    (min(case when 2 * reached >= 1 * total and pos + neg > 0 then error end) + min(case when 2 * reached > 1 * total and pos + neg > 0 then error end)) / 2 as e50
from recalibrated_scores
