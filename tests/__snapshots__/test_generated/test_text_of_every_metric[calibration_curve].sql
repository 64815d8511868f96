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
binned_scores as not materialized (
    -- the bin of every row
    select
        score,
        pos,
        neg,
        case
            when score >= 1 then 9
            when (candidate + 1) / 10 <= score then candidate + 1
            when candidate / 10 > score then candidate - 1
            else candidate
        end as bin
    from (
        select
            score,
            pos,
            neg,
            floor(score * 10) as candidate
        from observations
    ) as candidates
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
        count(*) as row_count
    from binned_scores
    group by
        bin
),
calibration_curve as (
    -- per bin of the score, the mean score beside the rate of positives
    select
        cast(bin as bigint) as bin,
        cast(bin as double) / 10 as lower,
        cast(bin + 1 as double) / 10 as upper,
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
    calibration_curve.rows as "rows",
    calibration_curve.mean_score,
    calibration_curve.rate,
    calibration_curve.copc
from calibration_curve
order by
    calibration_curve.bin asc
