-- calibration_slope of impressions
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
        lowest,
        highest,
        center,
        case when positives > 0 and negatives > 0 and is_bounded = 1 then ln(positives) - ln(negatives) end as level,
        cast(0 as double) as slope,
        case when positives > 0 and negatives > 0 and is_bounded = 1 then ln(positives) - ln(negatives) end as level_before,
        cast(0 as double) as slope_before,
        cast(0 as double) as gain,
        cast(case when positives > 0 and negatives > 0 and is_bounded = 1 then 1 else 0 end as double) as moves,
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
        lowest,
        highest,
        case when is_taken = 1e0 then center + lean else center end as center,
        case when is_taken = 1e0 then level_here + case when reach > bound then bound / reach else 1e0 end * step_up else (level + level_before) / 2e0 end as level,
        case when is_taken = 1e0 then slope + case when reach > bound then bound / reach else 1e0 end * step_round else (slope + slope_before) / 2e0 end as slope,
        case when is_taken = 1e0 then level_here else level_before end as level_before,
        case when is_taken = 1e0 then slope else slope_before end as slope_before,
        case when is_taken = 1e0 then case when reach > bound then bound / reach else 1e0 end * decrement else gain / 2e0 end as gain,
        cast(case when (level is null or (is_taken = 1e0 and is_clear = 1e0 and reach < 1e-3)) or round >= 100e0 then 0e0 else 1e0 end as double) as moves,
        round + 1e0 as round
    from (
        select
            log_odds,
            pos,
            neg,
            round,
            lowest,
            highest,
            center,
            level,
            slope,
            level_before,
            slope_before,
            gain,
            lean,
            level_here,
            is_taken,
            is_clear,
            step_up,
            step_round,
            decrement,
            case when case when step_at_lowest < 0e0 then -step_at_lowest else step_at_lowest end > case when step_at_highest < 0e0 then -step_at_highest else step_at_highest end then case when step_at_lowest < 0e0 then -step_at_lowest else step_at_lowest end else case when step_at_highest < 0e0 then -step_at_highest else step_at_highest end end as reach,
            1e1 + 4e0 * case when case when level_at_lowest < 0e0 then -level_at_lowest else level_at_lowest end > case when level_at_highest < 0e0 then -level_at_highest else level_at_highest end then case when level_at_lowest < 0e0 then -level_at_lowest else level_at_lowest end else case when level_at_highest < 0e0 then -level_at_highest else level_at_highest end end as bound
        from (
            select
                log_odds,
                pos,
                neg,
                round,
                lowest,
                highest,
                center,
                level,
                slope,
                level_before,
                slope_before,
                gain,
                lean,
                level_here,
                is_taken,
                case when spread > 1e-6 * breadth then pull / case when information > 0e0 then information end else 0e0 end as step_up,
                case when spread > 1e-6 * breadth then rise / case when spread > 0e0 then spread end else 0e0 end as step_round,
                case when spread > 1e-6 * breadth then pull * (pull / case when information > 0e0 then information end) + rise * (rise / case when spread > 0e0 then spread end) else 0e0 end as decrement,
                case when spread > 1e-6 * breadth then 1e0 else 0e0 end as is_clear,
                pull / case when information > 0e0 then information end + rise / case when spread > 0e0 then spread end * (lowest - center - lean) as step_at_lowest,
                pull / case when information > 0e0 then information end + rise / case when spread > 0e0 then spread end * (highest - center - lean) as step_at_highest,
                level_here + slope * (lowest - center - lean) as level_at_lowest,
                level_here + slope * (highest - center - lean) as level_at_highest
            from (
                select
                    log_odds,
                    pos,
                    neg,
                    round,
                    lowest,
                    highest,
                    center,
                    level,
                    slope,
                    level_before,
                    slope_before,
                    gain,
                    pull,
                    information,
                    breadth,
                    lean / case when information > 0e0 then information end as lean,
                    breadth - lean * (lean / case when information > 0e0 then information end) as spread,
                    tilt - pull * (lean / case when information > 0e0 then information end) as rise,
                    level + slope * (lean / case when information > 0e0 then information end) as level_here,
                    case when pull * (level - level_before) + tilt * (slope - slope_before) >= -1e-1 * gain then 1e0 else 0e0 end as is_taken
                from (
                    select
                        log_odds,
                        pos,
                        neg,
                        lowest,
                        highest,
                        center,
                        level,
                        slope,
                        level_before,
                        slope_before,
                        gain,
                        moves,
                        round,
                        sum((pos / (1e0 + odds) - neg * (odds / (1e0 + odds)))) over () as pull,
                        sum((pos / (1e0 + odds) - neg * (odds / (1e0 + odds))) * gap) over () as tilt,
                        sum(((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds)))) over () as information,
                        sum(((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds))) * gap) over () as lean,
                        sum(((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds))) * gap * gap) over () as breadth
                    from (
                        select
                            log_odds,
                            pos,
                            neg,
                            lowest,
                            highest,
                            center,
                            level,
                            slope,
                            level_before,
                            slope_before,
                            gain,
                            moves,
                            round,
                            exp(least(greatest(level + slope * (log_odds - center), -1e2), 1e2)) as odds,
                            log_odds - center as gap
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
        max(center) as center,
        max(level) as level,
        max(slope) as slope
    from fits_of_bins
    where moves = 0e0
),
better_fit as (
    -- a step of the fit over the rows
    select
        center + lean as center,
        level + slope * lean + pull / case when information > 0 then information end as level,
        slope + rise / case when spread > 0 then spread end as slope
    from (
        select
            center,
            level,
            slope,
            pull,
            information,
            lean / case when information > 0 then information end as lean,
            tilt - pull * (lean / case when information > 0 then information end) as rise,
            breadth - lean * (lean / case when information > 0 then information end) as spread
        from (
            select
                max(center) as center,
                max(level) as level,
                max(slope) as slope,
                sum((pos / (1e0 + odds) - neg * (odds / (1e0 + odds)))) as pull,
                sum((pos / (1e0 + odds) - neg * (odds / (1e0 + odds))) * gap) as tilt,
                sum(((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds)))) as information,
                sum(((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds))) * gap) as lean,
                sum(((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds))) * gap * gap) as breadth
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
        case when abs(pull / case when information > 0 then information end) + abs(rise / case when spread > 0 then spread end) * farthest < 1e-5 then level + slope * lean + pull / case when information > 0 then information end - (slope + rise / case when spread > 0 then spread end) * (center + lean) end as fitted_intercept,
        case when abs(pull / case when information > 0 then information end) + abs(rise / case when spread > 0 then spread end) * farthest < 1e-5 then slope + rise / case when spread > 0 then spread end end as fitted_slope,
        center + lean as fitted_center,
        information as fitted_information,
        spread as fitted_spread
    from (
        select
            pos,
            neg,
            row_count,
            center,
            level,
            slope,
            pull,
            information,
            lean / case when information > 0 then information end as lean,
            tilt - pull * (lean / case when information > 0 then information end) as rise,
            breadth - lean * (lean / case when information > 0 then information end) as spread,
            farthest
        from (
            select
                max(center) as center,
                max(level) as level,
                max(slope) as slope,
                sum((pos / (1e0 + odds) - neg * (odds / (1e0 + odds)))) as pull,
                sum((pos / (1e0 + odds) - neg * (odds / (1e0 + odds))) * gap) as tilt,
                sum(((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds)))) as information,
                sum(((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds))) * gap) as lean,
                sum(((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds))) * gap * gap) as breadth,
                max(case when pos + neg > 0 then abs(gap) end) as farthest,
                cast(sum(pos) as double) as pos,
                cast(sum(neg) as double) as neg,
                count(*) as row_count
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
                inner join better_fit as fit
                    on 1 = 1
            ) as odds_of_rows
        ) as sums_of_rows
    ) as directions
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- b of the logistic regression logit P(y = 1) = a + b·logit(p), p kept within [eps, 1 − eps]
    max(fitted_slope) as calibration_slope
from logistic_fit
