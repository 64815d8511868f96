-- calibration_intercept of impressions
with recursive
source as (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        label as pos,
        1 - label as neg,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
rows_with_log_odds as materialized (
    -- rows with the log odds of their scores
    select
        pos,
        neg,
        ln(
            least(greatest(score, 2.220446049250313e-16), 1 - 2.220446049250313e-16)
            / least(greatest(1 - score, 2.220446049250313e-16), 1 - 2.220446049250313e-16)
        ) as log_odds
    from valid_rows
),
ranges_of_log_odds as materialized (
    -- one per slice, with the start of the fit and the number of bins per unit
    select
        *,
        (highest_of_both + lowest_of_both) / 2 as middle,
        greatest(abs(highest_of_both - lowest_of_both) / 2, (highest - lowest) / 1e6) as half,
        greatest(highest - (highest_of_both + lowest_of_both) / 2, (highest_of_both + lowest_of_both) / 2 - lowest) as half_range,
        case
            when row_count <= 2000 then 1e9 / nullif(highest - lowest, 0)
            else greatest(128, coalesce(512 / nullif(sqrt(greatest(variance, 0)), 0), 0), coalesce(512 / nullif(abs(highest_of_both - lowest_of_both), 0), 0))
        end as bins_per_unit,
        case when highest_negative > lowest_positive and highest_positive > lowest_negative
            then coalesce((mean_positive - mean_negative) / nullif(greatest(variance, 0), 0), 0) end as first_slope
    from (
        select
            *,
            least(lowest_positive, lowest_negative) as lowest,
            greatest(highest_positive, highest_negative) as highest,
            greatest(lowest_positive, lowest_negative) as lowest_of_both,
            least(highest_positive, highest_negative) as highest_of_both,
            squares - (positives * mean_positive * mean_positive + negatives * mean_negative * mean_negative) / nullif(positives + negatives, 0) as variance,
            case when positives > 0 and negatives > 0 then ln(positives) - ln(negatives) end as first_level,
            case when positives > 0 and negatives > 0 then ln(positives) - ln(negatives) - ln(odds_of_scores) end as first_shift
        from (
            select
                count(*) as row_count,
                cast(sum(pos) as double) as positives,
                cast(sum(neg) as double) as negatives,
                max(case when floor(pos) = pos and floor(neg) = neg then 0 else 1 end) as has_fractions,
                sum((pos + neg) / (1e0 + exp(-log_odds))) / nullif(sum((pos + neg) / (1e0 + exp(log_odds))), 0) as odds_of_scores,
                sum(pos * log_odds) / nullif(sum(pos), 0) as mean_positive,
                sum(neg * log_odds) / nullif(sum(neg), 0) as mean_negative,
                sum((pos + neg) * log_odds * log_odds) / nullif(sum(pos + neg), 0) as squares,
                min(case when pos > 0 then log_odds end) as lowest_positive,
                min(case when neg > 0 then log_odds end) as lowest_negative,
                max(case when pos > 0 then log_odds end) as highest_positive,
                max(case when neg > 0 then log_odds end) as highest_negative
            from rows_with_log_odds
        ) as sums
        where row_count > 0
    ) as shared_ranges
),
bins_of_log_odds as (
    -- one per bin, with the start of the fit in its slice
    select
        cast(sum(pos) as double) as pos,
        cast(sum(neg) as double) as neg,
        sum((pos + neg) * log_odds) / nullif(sum(pos + neg), 0) as log_odds,
        max(first_shift) as shift
    from (
        select
            pos,
            neg,
            log_odds,
            first_shift,
            case
                when abs(log_odds - middle) <= half then floor((log_odds - middle) * bins_per_unit)
                when log_odds > middle then 1e10 + floor(128 * ln(abs(log_odds - middle) / nullif(half, 0)))
                else -(1e10 + floor(128 * ln(abs(log_odds - middle) / nullif(half, 0))))
            end as bin
        from rows_with_log_odds as rows_of_log
        inner join ranges_of_log_odds as ranges on 1 = 1
    ) as binned
    group by bin
),
one_rounds as materialized (
    -- one Newton step over the bins per round
    select
        log_odds,
        pos,
        neg,
        shift,
        cast(case when shift is not null then 1 else 0 end as double) as is_active,
        cast(1 as double) as round
    from bins_of_log_odds
    union all
    select log_odds, pos, neg,
        shift + level_step * (2e0 / (2e0 + abs(level_step))) as shift,
        case when abs(level_step) < 1e-3 or round >= 1e2 then 0e0 else 1e0 end as is_active,
        round + 1e0 as round
    from (
        select *,
            gradient / nullif(information, 0e0) as level_step
        from (
            select *,
                sum((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds))) over () as information,
                sum(case when odds < 1e0 then pos else -neg end) over ()
                    + sum((pos + neg) * case when odds < 1e0 then -(odds / (1e0 + odds)) else 1e0 / (1e0 + odds) end)
                        over () as gradient
            from (select *, exp(least(greatest(shift + log_odds, -1e2), 1e2)) as odds
                from one_rounds where is_active = 1e0) as odds_of_bins
        ) as sums
    ) as steps_of_bins
),
one_by_bins as (
    -- one per slice
    select
        max(shift) as shift
    from one_rounds as rounds
    inner join ranges_of_log_odds as ranges on 1 = 1
    where is_active = 0e0
),
one_by_rows as (
    -- Newton steps over the rows
    select
        shift + level_step as shift
    from (
        select
            *,
            gradient / nullif(information, 0e0) as level_step
        from (
            select
                max(shift) as shift,
                sum(case when odds < 1e0 then pos else neg end) as size,
                sum((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds))) as information,
                sum(case when odds < 1e0 then pos else -neg end)
                    + sum((pos + neg) * case when odds < 1e0 then -(odds / (1e0 + odds)) else 1e0 / (1e0 + odds) end)
                        as gradient
            from (
                select
                    pos,
                    neg,
                    shift,
                    exp(least(greatest(shift + log_odds, -1e2), 1e2)) as odds
                from rows_with_log_odds as rows_of_log
                inner join one_by_bins as fit on 1 = 1
            ) as odds_of_rows
        ) as sums
    ) as steps_of_rows
),
one_fit as (
    select
        size,
        level_step as shift_step,
        information as shift_information,
        shift + level_step as shift
    from (
        select
            *,
            gradient / nullif(information, 0e0) as level_step
        from (
            select
                max(shift) as shift,
                sum(case when odds < 1e0 then pos else neg end) as size,
                sum((pos + neg) * (odds / (1e0 + odds) / (1e0 + odds))) as information,
                sum(case when odds < 1e0 then pos else -neg end)
                    + sum((pos + neg) * case when odds < 1e0 then -(odds / (1e0 + odds)) else 1e0 / (1e0 + odds) end)
                        as gradient
            from (
                select
                    pos,
                    neg,
                    shift,
                    exp(least(greatest(shift + log_odds, -1e2), 1e2)) as odds
                from rows_with_log_odds as rows_of_log
                inner join one_by_rows as fit on 1 = 1
            ) as odds_of_rows
        ) as sums
    ) as steps_of_rows
),
logistic_fit as (
    -- one per slice, with the logistic regression of the label on the log odds of the score
    select
        positives as pos,
        negatives as neg,
        row_count,
        case when abs(shift_step) < 1e-5 and (has_fractions = 0 or shift_information > 1e-7 * size) then shift end as shift,
        shift_information
    from ranges_of_log_odds as ranges
    inner join one_fit as one on 1 = 1
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- a of the logistic regression logit P(y = 1) = a + b·logit(p), p kept within [eps, 1 − eps], b = 1 or fitted too
    max(shift) as calibration_intercept
from logistic_fit
