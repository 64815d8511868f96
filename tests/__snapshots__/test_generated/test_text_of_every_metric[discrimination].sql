-- discrimination of impressions
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
scores_to_recalibrate as (
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
places_of_scores as (
    -- these, numbered from 0 in the order of the scores
    select
        score,
        pos,
        neg,
        row_count,
        coalesce(sum(cast(1 as double)) over (order by score rows between unbounded preceding and 1 preceding), 0) as place,
        sum(cast(1 as double)) over () as places
    from scores_to_recalibrate
),
pooled_scores as (
    -- scores whose rates do not rise are one block
    select
        min(place) as place,
        max(places) as places,
        sum(pos) as pos,
        sum(neg) as neg,
        sum((pos + neg) * score) as score_sum,
        cast(sum(row_count) as double) as row_count,
        min(score) as lowest_score,
        max(score) as highest_score,
        sum(pos * (1 - score) * (1 - score) + neg * score * score) as loss_sum
    from (
        select
            place,
            places,
            score,
            pos,
            neg,
            row_count,
            chunk,
            sum(rises) over (partition by chunk order by place rows unbounded preceding) as run
        from (
            select
                place,
                places,
                score,
                pos,
                neg,
                row_count,
                chunk,
                case when rate <= lag(rate) over (partition by chunk order by place) then 0 else 1 end as rises
            from (
                select
                    place,
                    places,
                    score,
                    cast(pos as double) as pos,
                    cast(neg as double) as neg,
                    row_count,
                    floor(place / 4096) as chunk,
                    cast(pos as double) / nullif((cast(pos + neg as double)), 0) as rate
                from places_of_scores
            ) as rates
        ) as rising_rates
    ) as runs
    group by
        chunk,
        run
),
merged_blocks as materialized (
    -- neighbours are merged, as many places each in every round as in both before
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
        loss_sum
    from pooled_scores
    union all
    select
        place,
        2 * span as span,
        places,
        pos_of_block as pos,
        neg_of_block as neg,
        score_sum_of_block as score_sum,
        row_count_of_block as row_count,
        lowest_score_of_block as lowest_score,
        highest_score_of_block as highest_score,
        loss_sum_of_block as loss_sum
    from (
        select
            place,
            span,
            places,
            sum(pos) over (partition by pair, block) as pos_of_block,
            sum(neg) over (partition by pair, block) as neg_of_block,
            sum(score_sum) over (partition by pair, block) as score_sum_of_block,
            sum(row_count) over (partition by pair, block) as row_count_of_block,
            min(lowest_score) over (partition by pair, block) as lowest_score_of_block,
            max(highest_score) over (partition by pair, block) as highest_score_of_block,
            sum(loss_sum) over (partition by pair, block) as loss_sum_of_block,
            row_number() over (partition by pair, block order by place) as place_in_block
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
                loss_sum,
                pair,
                case when side = 0 and pos_of_ends / nullif((pos_of_ends + neg_of_ends), 0) < rate then -1 when side = 1 and pos_of_ends / nullif((pos_of_ends + neg_of_ends), 0) > rate then -1 else place end as block
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
                    loss_sum,
                    pair,
                    side,
                    rate,
                    sum(case when side = 0 then pos else 0 end) over (partition by pair order by rate desc, place desc rows unbounded preceding) + sum(case when side = 1 then pos else 0 end) over (partition by pair order by rate, place rows unbounded preceding) as pos_of_ends,
                    sum(case when side = 0 then neg else 0 end) over (partition by pair order by rate desc, place desc rows unbounded preceding) + sum(case when side = 1 then neg else 0 end) over (partition by pair order by rate, place rows unbounded preceding) as neg_of_ends
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
                        loss_sum,
                        floor(place / (2 * span)) as pair,
                        floor(place / span) - 2 * floor(place / (2 * span)) as side,
                        pos / nullif((pos + neg), 0) as rate
                    from merged_blocks
                    where span < places
                ) as neighbours
            ) as ends
        ) as pooled_ends
    ) as blocks
    where place_in_block = 1
),
isotonic_blocks as (
    -- one per block of scores that isotonic regression gives one rate
    select
        sum(pos) / nullif(sum(pos + neg), 0) as rate,
        sum(pos) as pos,
        sum(neg) as neg,
        sum(score_sum) as score_sum,
        sum(row_count) as row_count,
        min(lowest_score) as lowest_score,
        max(highest_score) as highest_score,
        sum(loss_sum) as loss_sum
    from (
        select
            pos,
            neg,
            score_sum,
            row_count,
            lowest_score,
            highest_score,
            loss_sum,
            sum(rises) over (order by rate, place rows unbounded preceding) as run
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
                loss_sum,
                case when rate <= lag(rate) over (order by rate, place) * (1 + 1e-12) then 0 else 1 end as rises
            from (
                select
                    place,
                    pos / nullif((pos + neg), 0) as rate,
                    pos,
                    neg,
                    score_sum,
                    row_count,
                    lowest_score,
                    highest_score,
                    loss_sum
                from merged_blocks
                where span >= places
            ) as last_blocks
        ) as rising_blocks
    ) as runs_of_blocks
    group by
        run
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- S(ȳ) − mean S(r, y), r the scores recalibrated by isotonic regression, ȳ the rate of positives, S the loss of a row
    case when (sum(pos) * (sum(neg) / nullif(sum(pos + neg), 0)) - sum(pos * (neg / nullif((pos + neg), 0)))) / nullif(sum(pos + neg), 0) < 0 then 0 else (sum(pos) * (sum(neg) / nullif(sum(pos + neg), 0)) - sum(pos * (neg / nullif((pos + neg), 0)))) / nullif(sum(pos + neg), 0) end as discrimination
from isotonic_blocks
