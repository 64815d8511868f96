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
        ln(least(greatest(score, 2.220446049250313e-16), 1 - 2.220446049250313e-16) / least(greatest(1 - score, 2.220446049250313e-16), 1 - 2.220446049250313e-16)) as log_odds
    from observations
),
ranges_of_log_odds as (
    -- one per slice: where the fit starts, and how wide the bins are
    select
        middle,
        half,
        case when row_count <= 2000 then 1e9 / nullif(width, 0) else greatest(128, coalesce(512 / nullif(deviation, 0), 0), coalesce(256 / nullif(half, 0), 0)) end as bins_per_unit,
        is_bounded
    from (
        select
            row_count,
            highest - lowest as width,
            sqrt(greatest(mean_square - mean * mean, 0)) as deviation,
            (highest_of_both + lowest_of_both) / 2 as middle,
            greatest(abs(highest_of_both - lowest_of_both) / 2, (highest - lowest) / 1e6) as half,
            is_bounded
        from (
            select
                row_count,
                mean,
                mean_square,
                least(lowest_positive, lowest_negative) as lowest,
                greatest(highest_positive, highest_negative) as highest,
                greatest(lowest_positive, lowest_negative) as lowest_of_both,
                least(highest_positive, highest_negative) as highest_of_both,
                case when highest_negative > lowest_positive and highest_positive > lowest_negative then 1 else 0 end as is_bounded
            from (
                select
                    count(*) as row_count,
                    min(case when pos > 0 then log_odds end) as lowest_positive,
                    max(case when pos > 0 then log_odds end) as highest_positive,
                    min(case when neg > 0 then log_odds end) as lowest_negative,
                    max(case when neg > 0 then log_odds end) as highest_negative,
                    sum((pos + neg) * log_odds) / nullif(sum(pos + neg), 0) as mean,
                    sum((pos + neg) * log_odds * log_odds) / nullif(sum(pos + neg), 0) as mean_square
                from rows_with_log_odds
            ) as sums
            where row_count > 0
        ) as shared_ranges
    ) as widths
),
bins_of_log_odds as (
    -- one per bin of log odds, beside the start of its slice
    select
        sum((pos + neg) * log_odds) / nullif(sum(pos + neg), 0) as log_odds,
        cast(sum(pos) as double) as pos,
        cast(sum(neg) as double) as neg,
        max(is_bounded) as is_bounded
    from (
        select
            pos,
            neg,
            log_odds,
            is_bounded,
            case when distance <= half then floor((log_odds - middle) * bins_per_unit) when log_odds > middle then 1e10 + floor(128 * ln(distance / nullif(half, 0))) else -(1e10 + floor(128 * ln(distance / nullif(half, 0)))) end as bin
        from (
            select
                pos,
                neg,
                log_odds,
                is_bounded,
                middle,
                half,
                bins_per_unit,
                case when log_odds < middle then middle - log_odds else log_odds - middle end as distance
            from rows_with_log_odds as rows_of_log
            inner join ranges_of_log_odds as ranges
                on 1 = 1
        ) as distances
    ) as binned
    group by
        bin
),
fits_of_bins as materialized (
    -- each round is a step of the fit over the bins
    select
        log_odds,
        pos,
        neg,
        case when positives > 0 and negatives > 0 then exp(least(greatest(ln(positives) - ln(negatives) - center, -1e2), 1e2)) end as scale,
        cast(case when positives > 0 and negatives > 0 then 1 else 0 end as double) as moves,
        cast(1 as double) as round
    from (
        select
            log_odds,
            pos,
            neg,
            is_bounded,
            sum(pos) over () as positives,
            sum(neg) over () as negatives,
            min(log_odds) over () as lowest,
            max(log_odds) over () as highest,
            sum((pos + neg) * log_odds) over () / nullif(sum(pos + neg) over (), 0) as center
        from bins_of_log_odds
    ) as sums_of_bins
    union all
    select
        log_odds,
        pos,
        neg,
        case when step_of_one < 0e0 then scale / (1e0 - step_of_one) else scale * (1e0 + step_of_one) end as scale,
        cast(case when (scale is null or (step_of_one > -1e-4 and step_of_one < 1e-4)) or round >= 100e0 then 0e0 else 1e0 end as double) as moves,
        round + 1e0 as round
    from (
        select
            log_odds,
            pos,
            neg,
            round,
            scale,
            step_of_one
        from (
            select
                log_odds,
                pos,
                neg,
                round,
                scale,
                step_of_one
            from (
                select
                    log_odds,
                    pos,
                    neg,
                    round,
                    scale,
                    pull_of_one / case when information_of_one > 0e0 then information_of_one end as step_of_one
                from (
                    select
                        log_odds,
                        pos,
                        neg,
                        scale,
                        moves,
                        round,
                        sum(case when odds_of_one < 1e0 then pos else -neg end) over () + sum((pos + neg) * case when odds_of_one < 1e0 then -(odds_of_one / (1e0 + odds_of_one)) else 1e0 / (1e0 + odds_of_one) end) over () as pull_of_one,
                        sum(((pos + neg) * (odds_of_one / (1e0 + odds_of_one) / (1e0 + odds_of_one)))) over () as information_of_one
                    from (
                        select
                            log_odds,
                            pos,
                            neg,
                            scale,
                            moves,
                            round,
                            exp(least(greatest(log_odds + ln(scale), -1e2), 1e2)) as odds_of_one
                        from fits_of_bins
                        where moves = 1e0
                    ) as odds_of_bins
                ) as sums_of_bins
            ) as directions
        ) as steps_of_bins
    ) as bounded_steps
),
first_fit as (
    -- one per slice
    select
        ln(max(scale)) as shift
    from fits_of_bins
    where moves = 0e0
),
better_fit as (
    -- a step of the fit over the rows
    select
        shift + step_of_one as shift
    from (
        select
            shift,
            information_of_one,
            pull_of_one / case when information_of_one > 0 then information_of_one end as step_of_one
        from (
            select
                max(shift) as shift,
                sum(case when odds_of_one < 1e0 then pos else -neg end) + sum((pos + neg) * case when odds_of_one < 1e0 then -(odds_of_one / (1e0 + odds_of_one)) else 1e0 / (1e0 + odds_of_one) end) as pull_of_one,
                sum(((pos + neg) * (odds_of_one / (1e0 + odds_of_one) / (1e0 + odds_of_one)))) as information_of_one
            from (
                select
                    pos,
                    neg,
                    shift,
                    exp(least(greatest(log_odds + shift, -1e2), 1e2)) as odds_of_one
                from rows_with_log_odds as rows_of_log
                inner join first_fit as fit
                    on 1 = 1
            ) as odds_of_rows
        ) as sums_of_rows
    ) as directions
),
logistic_fit as (
    -- one per slice, with the logistic regression of the truth on the log odds of the score
    select
        pos,
        neg,
        row_count,
        case when abs(step_of_one) < 1e-5 and (has_fractions = 0 or information_of_one > 1e-7 * size_of_one) then shift + step_of_one end as shift,
        information_of_one as shift_information
    from (
        select
            pos,
            neg,
            row_count,
            shift,
            information_of_one,
            pull_of_one / case when information_of_one > 0 then information_of_one end as step_of_one,
            size_of_one,
            has_fractions
        from (
            select
                max(shift) as shift,
                sum(case when odds_of_one < 1e0 then pos else -neg end) + sum((pos + neg) * case when odds_of_one < 1e0 then -(odds_of_one / (1e0 + odds_of_one)) else 1e0 / (1e0 + odds_of_one) end) as pull_of_one,
                sum(((pos + neg) * (odds_of_one / (1e0 + odds_of_one) / (1e0 + odds_of_one)))) as information_of_one,
                sum(case when odds_of_one < 1e0 then pos else neg end) as size_of_one,
                max(case when floor(pos) = pos and floor(neg) = neg then 0 else 1 end) as has_fractions,
                cast(sum(pos) as double) as pos,
                cast(sum(neg) as double) as neg,
                count(*) as row_count
            from (
                select
                    pos,
                    neg,
                    shift,
                    exp(least(greatest(log_odds + shift, -1e2), 1e2)) as odds_of_one
                from rows_with_log_odds as rows_of_log
                inner join better_fit as fit
                    on 1 = 1
            ) as odds_of_rows
        ) as sums_of_rows
    ) as directions
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- a of the logistic regression logit P(y = 1) = a + b·logit(p), p kept within [eps, 1 − eps], b = 1 or fitted too
    max(shift) as calibration_intercept
from logistic_fit
