-- qini_curve of impressions
with
source as (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        cast(treatment as double) as treatment
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        label as pos,
        1 - label as neg,
        score,
        treatment
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
        and (isfinite(treatment) or isinf(treatment)) is true
),
gain_points_rows as materialized (
    -- columns for the ranking
    select
        score,
        cast(treatment as tinyint) as treated,
        cast(pos as tinyint) as is_positive
    from valid_rows
),
scores_with_weights as (
    -- one per row, with the weight before it
    select
        score,
        treated,
        is_positive,
        1 as row_count,
        cast(rank() over (order by score desc) - 1 as double) as weight_before
    from gain_points_rows
),
rows_to_bin as (
    -- one per slice
    select
        cast(count(*) as double) as weight_of_all
    from gain_points_rows
),
binned_scores as (
    -- scores with their bin
    select
        scored.*,
        least(floor(200 * weight_before / nullif(weight_of_all, 0)), 199) as bin
    from scores_with_weights as scored
    inner join rows_to_bin as counted on 1 = 1
),
treated_bins as (
    -- one per bin of equal weight, from the highest score down
    select
        bin,
        min(score) as score,
        cast(count(*) as double) as weight,
        cast(sum(treated) as double) as treated,
        cast(sum(1 - treated) as double) as control,
        cast(sum(treated * is_positive) as double) as treated_positives,
        cast(sum((1 - treated) * is_positive) as double) as control_positives
    from binned_scores
    group by bin
),
gain_points as (
    -- running sums from the highest score down
    select
        bin,
        score,
        sum(weight) over (order by bin asc rows unbounded preceding) as weight_cumulative,
        sum(weight) over () as weight_total,
        sum(treated) over (order by bin asc rows unbounded preceding) as treated_cumulative,
        sum(treated) over () as treated_total,
        sum(control) over (order by bin asc rows unbounded preceding) as control_cumulative,
        sum(control) over () as control_total,
        sum(treated_positives) over (order by bin asc rows unbounded preceding) as treated_positives_cumulative,
        sum(treated_positives) over () as treated_positives_total,
        sum(control_positives) over (order by bin asc rows unbounded preceding) as control_positives_cumulative,
        sum(control_positives) over () as control_positives_total
    from treated_bins
),
qini_curve as (
    -- Yₜ − Y_c·Nₜ / N_c over the rows of a score at the threshold or above, and the straight line to the end of the curve
    select
        score as threshold,
        weight_cumulative as targeted,
        treated_positives_cumulative - coalesce(control_positives_cumulative / nullif(control_cumulative, 0), 0) * treated_cumulative as incremental_gain,
        (treated_positives_total - control_positives_total / nullif(control_total, 0) * treated_total)
            * (weight_cumulative / nullif(weight_total, 0)) as random_gain
    from gain_points
    union all
    select
        cast('Infinity' as double) as threshold,
        cast(0 as double) as targeted,
        cast(0 as double) as incremental_gain,
        cast(0 as double) as random_gain
    from gain_points_rows
    having count(*) > 0
)
select
    qini_curve.threshold,
    qini_curve.targeted,
    qini_curve.incremental_gain,
    qini_curve.random_gain
from qini_curve
order by qini_curve.threshold desc, qini_curve.targeted asc
