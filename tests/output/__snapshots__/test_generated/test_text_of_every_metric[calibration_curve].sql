-- calibration_curve of impressions
with
source as not materialized (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as not materialized (
    -- the rows that count
    select
        label as pos,
        1 - label as neg,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
scores_to_bin as not materialized (
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
scores_with_weights as not materialized (
    -- one per distinct score, with the weight below it
    select
        score,
        pos,
        neg,
        row_count,
        coalesce(sum(pos + neg) over (order by score asc rows between unbounded preceding and 1 preceding), 0) as weight_below,
        sum(pos + neg) over () as weight_of_all
    from scores_to_bin
),
binned_scores as not materialized (
    -- the bin of every distinct score
    select
        score,
        pos,
        neg,
        row_count,
        least(floor(10 * coalesce(weight_below, 0) / nullif(weight_of_all, 0)), 9) as bin
    from scores_with_weights
),
score_bins as not materialized (
    -- one per bin of scores that holds a row
    select
        bin,
        sum(pos) as pos,
        sum(neg) as neg,
        sum((pos + neg) * score) as score_sum,
        min(score) as lowest_score,
        max(score) as highest_score,
        sum(row_count) as row_count
    from binned_scores
    group by
        bin
),
calibration_curve as (
    -- per bin of the score, the mean score beside the rate of positives
    select
        cast(bin as bigint) as bin,
        lowest_score as lower,
        highest_score as upper,
        cast(row_count as bigint) as "rows",
        score_sum / nullif((pos + neg), 0) as mean_score,
        pos / nullif((pos + neg), 0) as rate,
        pos / nullif(score_sum, 0) as copc
    from score_bins
)
select
    calibration_curve.bin,
    calibration_curve.lower,
    calibration_curve.upper,
    calibration_curve."rows",
    calibration_curve.mean_score,
    calibration_curve.rate,
    calibration_curve.copc
from calibration_curve
order by
    calibration_curve.bin asc
