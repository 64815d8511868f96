-- qini of impressions
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
        cast(treatment * pos as tinyint) as treated_positives,
        cast((1 - treatment) * pos as tinyint) as control_positives
    from valid_rows
),
treated_totals as (
    -- one per slice
    select
        cast(sum(treated) as double) as treated_in_all,
        cast(sum(treated_positives) as double) as treated_positives_in_all,
        cast(sum(control_positives) as double) as control_positives_in_all,
        cast(count(*) as double) as weight_in_all
    from treated_rows
),
treated_ranks as (
    -- the same, with the counts down to each
    select
        score,
        treated,
        treated_positives,
        control_positives,
        cast(row_number() over (order by score desc) as double) as place,
        cast(rank() over (order by score desc) - 1 as double) as weight_above,
        cume_dist() over (order by score desc) as cumulative_share,
        sum(treated) over (order by score desc rows unbounded preceding) as treated_to_here,
        sum(treated_positives) over (order by score desc rows unbounded preceding) as treated_positives_to_here,
        sum(control_positives) over (order by score desc rows unbounded preceding) as control_positives_to_here
    from treated_rows
),
treated_sums as (
    -- the same of either arm
    select
        score,
        weight_above,
        weight_in_all,
        treated,
        treated_in_all,
        round(cumulative_share * weight_in_all) - weight_above as weight,
        round(cumulative_share * weight_in_all) as weight_through,
        case when place = round(cumulative_share * weight_in_all) then place - weight_above else 0 end as row_count,
        cast(treated_to_here as double) as treated_through,
        cast(treated_to_here - treated as double) as treated_above,
        1 - treated as control,
        place - treated_to_here as control_through,
        place - 1 - (treated_to_here - treated) as control_above,
        weight_in_all - treated_in_all as control_in_all,
        treated_positives,
        treated_positives_in_all,
        treated_in_all - treated_positives_in_all as treated_negatives_in_all,
        case when place = weight_above + 1 then cast(treated_positives_to_here - treated_positives as double) end as treated_positives_above,
        case when place = round(cumulative_share * weight_in_all) then cast(treated_positives_to_here as double) end as treated_positives_through,
        control_positives,
        control_positives_in_all,
        weight_in_all - treated_in_all - control_positives_in_all as control_negatives_in_all,
        case when place = weight_above + 1 then cast(control_positives_to_here - control_positives as double) end as control_positives_above,
        case when place = round(cumulative_share * weight_in_all) then cast(control_positives_to_here as double) end as control_positives_through
    from treated_ranks as ranked
    cross join treated_totals as totals
),
treated_scores as (
    -- one per distinct score, or row of the log, with the gain of the treatment down to it
    select
        score,
        row_count,
        weight_through,
        weight_in_all as weight_of_all,
        coalesce(weight / nullif(weight_in_all, 0), 0) as share,
        coalesce(treated_positives_through / nullif(weight_in_all, 0)
            - coalesce(control_positives_through / nullif(control_through, 0), 0) * (treated_through / nullif(weight_in_all, 0)), 0) as qini,
        (coalesce(treated_positives_through / nullif(treated_through, 0), 0) - coalesce(control_positives_through / nullif(control_through, 0), 0))
            * coalesce(weight_through / nullif(weight_in_all, 0), 0) as uplift,
        coalesce(treated_positives_above / nullif(weight_in_all, 0)
            - coalesce(control_positives_above / nullif(control_above, 0), 0) * (treated_above / nullif(weight_in_all, 0)), 0) as qini_above,
        (coalesce(treated_positives_above / nullif(treated_above, 0), 0) - coalesce(control_positives_above / nullif(control_above, 0), 0))
            * coalesce(weight_above / nullif(weight_in_all, 0), 0) as uplift_above,
        treated_positives_in_all / nullif(weight_in_all, 0) as treated_positives,
        treated_negatives_in_all / nullif(weight_in_all, 0) as treated_negatives,
        control_positives_in_all / nullif(weight_in_all, 0) as control_positives,
        control_negatives_in_all / nullif(weight_in_all, 0) as control_negatives,
        treated_positives_in_all / nullif(weight_in_all, 0)
            - control_positives_in_all / nullif(control_in_all, 0) * (treated_in_all / nullif(weight_in_all, 0)) as qini_of_all,
        treated_positives_in_all / nullif(treated_in_all, 0) - control_positives_in_all / nullif(control_in_all, 0) as uplift_of_all
    from treated_sums
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- (A − R) / (P − R), A the area under the Qini curve Yₜ − Y_c·Nₜ / N_c over the rows by descending score, R that of the straight line to its end, P
    -- that of a perfect order
    (sum(share * (qini_above + qini)) / 2 - max(qini_of_all) / 2)
    / nullif(case
        when max(treated_positives) + max(treated_negatives) > 0
            and max(control_positives) + max(control_negatives) > 0
            and not (max(control_positives) = 0 and (max(treated_positives) = 0 or max(treated_negatives) + max(control_negatives) = 0))
            then max(treated_positives) * max(treated_positives) / 2
                + (max(treated_negatives) + max(control_negatives)) * max(treated_positives)
                + max(control_positives) * (max(treated_positives) + max(qini_of_all)) / 2
                - max(qini_of_all) / 2
    end, 0) as qini
from treated_scores
