-- qini_curve of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        cast(treatment as double) as treatment
    from impressions
),
valid_rows as (
    -- the rows that count
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
treated_rows as materialized (
    -- what is sorted
    select
        score,
        cast(treatment as tinyint) as treated,
        cast(pos as tinyint) as is_positive
    from valid_rows
),
treated_totals as (
    -- one per slice
    select
        cast(count(*) as double) as weight_in_all,
        cast(sum(treated) as double) as treated_in_all,
        cast(sum(treated * is_positive) as double) as treated_positives_in_all,
        cast(sum((1 - treated) * is_positive) as double) as control_positives_in_all
    from treated_rows
),
treated_ranks as (
    -- one per row, ranked
    select
        score,
        row_number() over (order by score desc) as place,
        rank() over (order by score desc) as rank_of_score,
        cast(count(*) over (order by score desc) as double) as weight_through,
        cast(sum(treated) over (order by score desc) as double) as treated_through,
        cast(sum(treated * is_positive) over (order by score desc) as double) as treated_positives_through,
        cast(sum((1 - treated) * is_positive) over (order by score desc) as double) as control_positives_through
    from treated_rows
),
gain_points as (
    -- one per distinct score, with the sums of either arm down to it
    select
        score,
        weight_through,
        treated_through,
        treated_positives_through,
        control_positives_through,
        weight_through - treated_through as control_through,
        weight_in_all,
        treated_in_all,
        treated_positives_in_all,
        control_positives_in_all,
        weight_in_all - treated_in_all as control_in_all
    from treated_ranks as ranked
    cross join treated_totals as totals
    where place = rank_of_score
),
qini_curve as (
    -- Yₜ − Y_c·Nₜ / N_c over the rows of a score at the threshold or above, beside the straight line to the end of the curve
    select
        score as threshold,
        weight_through as targeted,
        treated_positives_through - coalesce(control_positives_through / nullif(control_through, 0), 0) * treated_through as incremental_gain,
        (treated_positives_in_all - control_positives_in_all / nullif(control_in_all, 0) * treated_in_all)
            * (weight_through / nullif(weight_in_all, 0)) as random_gain
    from gain_points
    union all
    select
        cast('Infinity' as double) as threshold,
        cast(0 as double) as targeted,
        cast(0 as double) as incremental_gain,
        cast(0 as double) as random_gain
    from treated_rows
    having count(*) > 0
)
select
    qini_curve.threshold,
    qini_curve.targeted,
    qini_curve.incremental_gain,
    qini_curve.random_gain
from qini_curve
order by
    qini_curve.threshold desc,
    qini_curve.targeted asc
