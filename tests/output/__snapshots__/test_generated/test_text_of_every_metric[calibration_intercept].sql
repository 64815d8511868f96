-- calibration_intercept of impressions
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
rows_with_log_odds as materialized (
    -- the rows with the log odds of their scores
    select
        pos,
        neg,
        ln(
            least(greatest(score, 2.220446049250313e-16), 1 - 2.220446049250313e-16)
            / least(greatest(1 - score, 2.220446049250313e-16), 1 - 2.220446049250313e-16)
        ) as log_odds
    from observations
),
ranges_of_log_odds as materialized (
    -- one per slice: where the fit starts, and how wide the bins are
    select
        row_count,
        positives,
        negatives,
        mean,
        has_fractions,
        lowest,
        highest,
        middle,
        half,
        is_bounded,
        case when positives > 0 and negatives > 0 then ln(positives) - ln(negatives) end as first_level,
        case
            when row_count <= 2000 then 1e9 / nullif(highest - lowest, 0)
            else greatest(
                128,
                coalesce(512 / nullif(sqrt(greatest(mean_square - mean * mean, 0)), 0), 0),
                coalesce(256 / nullif(half, 0), 0)
            )
        end as bins_per_unit
    from (
        select
            row_count,
            positives,
            negatives,
            mean,
            has_fractions,
            mean_square,
            lowest,
            highest,
            (highest_of_both + lowest_of_both) / 2 as middle,
            greatest(abs(highest_of_both - lowest_of_both) / 2, (highest - lowest) / 1e6) as half,
            case when highest_negative > lowest_positive and highest_positive > lowest_negative then 1 else 0 end as is_bounded
        from (
            select
                row_count,
                positives,
                negatives,
                mean,
                has_fractions,
                mean_square,
                lowest_positive,
                lowest_negative,
                highest_positive,
                highest_negative,
                least(lowest_positive, lowest_negative) as lowest,
                greatest(highest_positive, highest_negative) as highest,
                greatest(lowest_positive, lowest_negative) as lowest_of_both,
                least(highest_positive, highest_negative) as highest_of_both
            from (
                select
                    count(*) as row_count,
                    cast(sum(pos) as double) as positives,
                    cast(sum(neg) as double) as negatives,
                    max(case when floor(pos) = pos and floor(neg) = neg then 0 else 1 end) as has_fractions,
                    sum((pos + neg) * log_odds) / nullif(sum(pos + neg), 0) as mean,
                    sum((pos + neg) * log_odds * log_odds) / nullif(sum(pos + neg), 0) as mean_square,
                    min(case when pos > 0 then log_odds end) as lowest_positive,
                    min(case when neg > 0 then log_odds end) as lowest_negative,
                    max(case when pos > 0 then log_odds end) as highest_positive,
                    max(case when neg > 0 then log_odds end) as highest_negative
                from rows_with_log_odds
            ) as sums
            where row_count > 0
        ) as ends
    ) as shared_ranges
),
bins_of_log_odds as (
    -- one per bin, with the start of its slice
    select
        max(center) as center,
        max(first_level) as first_level,
        max(is_bounded) as is_bounded,
        sum((pos + neg) * log_odds) / nullif(sum(pos + neg), 0) as log_odds,
        cast(sum(pos) as double) as pos,
        cast(sum(neg) as double) as neg
    from (
        select
            pos,
            neg,
            log_odds,
            mean as center,
            first_level,
            is_bounded,
            case
                when abs(log_odds - middle) <= half then floor((log_odds - middle) * bins_per_unit)
                when log_odds > middle then 1e10 + floor(128 * ln(abs(log_odds - middle) / nullif(half, 0)))
                else -(1e10 + floor(128 * ln(abs(log_odds - middle) / nullif(half, 0))))
            end as bin
        from rows_with_log_odds as rows_of_log
        inner join ranges_of_log_odds as ranges
            on 1 = 1
    ) as binned
    group by
        bin
),
one_rounds as materialized (
    -- each round is a step of the fit over the bins
    select
        log_odds,
        pos,
        neg,
        cast(0 as double) as center,
        first_level - center as level,
        cast(1 as double) as slope,
        cast(case when first_level is not null then 1 else 0 end as double) as moves,
        cast(1 as double) as round
    from bins_of_log_odds
    union all
    select
        log_odds,
        pos,
        neg,
        center + lean as center,
        level + slope * lean + 2e0 / (2e0 + reach) * up as level,
        slope + 2e0 / (2e0 + reach) * turn as slope,
        case when reach < 1e-3 or round >= 1e2 then 0e0 else 1e0 end as moves,
        round + 1e0 as round
    from (
        select
            log_odds,
            pos,
            neg,
            center,
            level,
            slope,
            round,
            lean,
            up,
            turn,
            abs(up) as reach
        from (
            select
                log_odds,
                pos,
                neg,
                center,
                level,
                slope,
                round,
                information,
                pull / nullif(information, 0e0) as up,
                0e0 as lean,
                0e0 as turn
            from (
                select
                    log_odds,
                    pos,
                    neg,
                    center,
                    level,
                    slope,
                    round,
                    sum(case when odds < 1e0 then pos else -neg end) over ()
                        + sum((pos + neg) * case when odds < 1e0 then -(odds / (1e0 + odds)) else 1e0 / (1e0 + odds) end) over () as pull,
                    sum((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds))) over () as information
                from (
                    select
                        log_odds,
                        pos,
                        neg,
                        center,
                        level,
                        slope,
                        round,
                        exp(least(greatest(level + slope * (log_odds - center), -1e2), 1e2)) as odds
                    from one_rounds
                    where moves = 1e0
                ) as odds_of_bins
            ) as sums
        ) as steps_of_bins
    ) as bounded_steps
),
one_by_bins as (
    -- one per slice
    select
        max(center) as center,
        max(level) as level,
        max(slope) as slope
    from one_rounds
    where moves = 0e0
),
one_by_rows as (
    -- a step over the rows
    select
        up,
        turn,
        information,
        size,
        center + lean as center,
        level + slope * lean + up as level,
        slope + turn as slope
    from (
        select
            center,
            level,
            slope,
            size,
            information,
            pull / nullif(information, 0e0) as up,
            0e0 as lean,
            0e0 as turn
        from (
            select
                max(center) as center,
                max(level) as level,
                max(slope) as slope,
                sum(case when odds < 1e0 then pos else neg end) as size,
                sum(case when odds < 1e0 then pos else -neg end)
                    + sum((pos + neg) * case when odds < 1e0 then -(odds / (1e0 + odds)) else 1e0 / (1e0 + odds) end) as pull,
                sum((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds))) as information
            from (
                select
                    pos,
                    neg,
                    center,
                    level,
                    slope,
                    log_odds - center as gap,
                    exp(least(greatest(level + slope * (log_odds - center), -1e2), 1e2)) as odds
                from rows_with_log_odds as rows_of_log
                inner join one_by_bins as fit
                    on 1 = 1
            ) as odds_of_rows
        ) as sums
    ) as steps_of_rows
),
one_fit as (
    -- a step over the rows
    select
        up,
        turn,
        information,
        size,
        center + lean as center,
        level + slope * lean + up as level,
        slope + turn as slope
    from (
        select
            center,
            level,
            slope,
            size,
            information,
            pull / nullif(information, 0e0) as up,
            0e0 as lean,
            0e0 as turn
        from (
            select
                max(center) as center,
                max(level) as level,
                max(slope) as slope,
                sum(case when odds < 1e0 then pos else neg end) as size,
                sum(case when odds < 1e0 then pos else -neg end)
                    + sum((pos + neg) * case when odds < 1e0 then -(odds / (1e0 + odds)) else 1e0 / (1e0 + odds) end) as pull,
                sum((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds))) as information
            from (
                select
                    pos,
                    neg,
                    center,
                    level,
                    slope,
                    log_odds - center as gap,
                    exp(least(greatest(level + slope * (log_odds - center), -1e2), 1e2)) as odds
                from rows_with_log_odds as rows_of_log
                inner join one_by_rows as fit
                    on 1 = 1
            ) as odds_of_rows
        ) as sums
    ) as steps_of_rows
),
logistic_fit as (
    -- one per slice, with the logistic regression of the truth on the log odds of the score
    select
        positives as pos,
        negatives as neg,
        row_count,
        case when abs(one.up) < 1e-5 and (has_fractions = 0 or one.information > 1e-7 * one.size) then one.level end as shift,
        one.information as shift_information
    from ranges_of_log_odds as ranges
    inner join one_fit as one
        on 1 = 1
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- a of the logistic regression logit P(y = 1) = a + b·logit(p), p kept within [eps, 1 − eps], b = 1 or fitted too
    max(shift) as calibration_intercept
from logistic_fit
