-- qini of impressions
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
treated_areas_rows as (
    -- columns for the ranking
    select
        score,
        cast(treatment as tinyint) as treated,
        cast(pos as tinyint) as is_positive
    from valid_rows
),
overall_ranks as (
    -- ranks by score over both arms
    select
        treated,
        is_positive,
        cast(rank() over (order by score desc) - 1 as double) as weight_above,
        cume_dist() over (order by score desc) as cumulative_share
    from treated_areas_rows
),
arm_ranks as (
    -- ranks, with the cumulative rows and responses of their arm
    select
        treated,
        is_positive,
        weight_above,
        cumulative_share,
        cast(row_number() over (partition by treated order by cumulative_share asc) as double) as arm_rank,
        cast(sum(is_positive) over (partition by treated order by cumulative_share asc rows unbounded preceding) as double) as arm_positives
    from overall_ranks
),
treated_rates as (
    -- change of the response rate of its arm at each row
    select
        1 as row_count,
        cast(1 as double) as weight,
        cast(is_positive as double) as positives,
        cast(treated * is_positive as double) as treated_positives,
        cast(treated * (1 - is_positive) as double) as treated_negatives,
        cast((1 - treated) * is_positive as double) as control_positives,
        cast((1 - treated) * (1 - is_positive) as double) as control_negatives,
        weight_above,
        cumulative_share,
        treated * ((is_positive - coalesce((arm_positives - is_positive) / nullif(arm_rank - 1, 0), 0)) / nullif(arm_rank, 0)) as treated_change,
        (1 - treated) * ((is_positive - coalesce((arm_positives - is_positive) / nullif(arm_rank - 1, 0), 0)) / nullif(arm_rank, 0)) as control_change
    from arm_ranks
),
treated_areas as (
    -- one per slice, with the areas between the curves of uplift and the straight lines to their ends
    select
        sum(row_count) as row_count,
        sum(weight) as weight_of_all,
        sum(treated_positives) / nullif(sum(weight), 0) as treated_positives,
        sum(treated_negatives) / nullif(sum(weight), 0) as treated_negatives,
        sum(control_positives) / nullif(sum(weight), 0) as control_positives,
        sum(control_negatives) / nullif(sum(weight), 0) as control_negatives,
        sum(treated_positives) / nullif(sum(treated_positives + treated_negatives), 0) as treated_rate,
        sum(control_positives) / nullif(sum(control_positives + control_negatives), 0) as control_rate,
        (sum(positives * (1 - cumulative_share)) - sum(positives * weight_above) / nullif(count(*), 0)) / nullif(sum(weight), 0) / 2
            + sum(weight_above * cumulative_share * control_change) / nullif(count(*), 0) / 2 as qini_area,
        sum(weight_above * cumulative_share * (control_change - treated_change)) / nullif(count(*), 0) / 2 as uplift_area
    from treated_rates
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- (A − R) / (P − R), A the area under the Qini curve Yₜ − Y_c·Nₜ / N_c over the rows by descending score, R that of the straight line to its end, P
    -- that of a perfect order
    max(qini_area / nullif(case
        when treated_positives + treated_negatives > 0
            and control_positives + control_negatives > 0
            and not (control_positives = 0 and (treated_positives = 0 or treated_negatives + control_negatives = 0))
            then treated_positives * treated_positives / 2
                + (treated_negatives + control_negatives) * treated_positives
                + control_positives * (treated_positives + (treated_positives - control_rate * (treated_positives + treated_negatives))) / 2
                - (treated_positives - control_rate * (treated_positives + treated_negatives)) / 2
    end, 0)) as qini
from treated_areas
