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
distinct_treated_scores as (
    -- one per distinct score
    select
        score,
        sum(pos + neg) as weight,
        sum(treatment * (pos + neg)) as treated,
        sum((1 - treatment) * (pos + neg)) as control,
        sum(treatment * pos) as treated_positives,
        sum((1 - treatment) * pos) as control_positives,
        sum(treatment * neg) as treated_negatives,
        sum((1 - treatment) * neg) as control_negatives,
        count(*) as row_count
    from valid_rows
    group by
        score
),
treated_sums as (
    -- one per distinct score, with the sums over the higher ones
    select
        score,
        weight,
        treated,
        control,
        treated_positives,
        control_positives,
        row_count,
        coalesce(sum(weight) over (order by score desc rows between unbounded preceding and 1 preceding), 0) as weight_above,
        sum(weight) over (order by score desc rows unbounded preceding) as weight_through,
        sum(weight) over () as weight_in_all,
        coalesce(sum(treated) over (order by score desc rows between unbounded preceding and 1 preceding), 0) as treated_above,
        sum(treated) over (order by score desc rows unbounded preceding) as treated_through,
        sum(treated) over () as treated_in_all,
        coalesce(sum(control) over (order by score desc rows between unbounded preceding and 1 preceding), 0) as control_above,
        sum(control) over (order by score desc rows unbounded preceding) as control_through,
        sum(control) over () as control_in_all,
        coalesce(sum(treated_positives) over (order by score desc rows between unbounded preceding and 1 preceding), 0) as treated_positives_above,
        sum(treated_positives) over (order by score desc rows unbounded preceding) as treated_positives_through,
        sum(treated_positives) over () as treated_positives_in_all,
        coalesce(sum(control_positives) over (order by score desc rows between unbounded preceding and 1 preceding), 0) as control_positives_above,
        sum(control_positives) over (order by score desc rows unbounded preceding) as control_positives_through,
        sum(control_positives) over () as control_positives_in_all,
        sum(treated_negatives) over () as treated_negatives_in_all,
        sum(control_negatives) over () as control_negatives_in_all
    from distinct_treated_scores
),
treated_scores as (
    -- one per distinct score, with what the treatment gained down to it
    select
        score,
        coalesce(weight / nullif(weight_in_all, 0), 0) as share,
        coalesce(weight_through / nullif(weight_in_all, 0), 0) as cumulative_share,
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
        treated_positives_in_all / nullif(treated_in_all, 0) - control_positives_in_all / nullif(control_in_all, 0) as uplift_of_all,
        weight_through,
        weight_in_all as weight_of_all,
        row_count
    from treated_sums
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- (A − R) / (P − R), A the area under the Qini curve Yₜ − Y_c·Nₜ / N_c over the rows by descending score, R that of the straight line to its end, P
    -- that of a perfect order
    (sum(share * (qini_above + qini)) / 2 - max(qini_of_all) / 2)
    / nullif(max(case
        when treated_positives + treated_negatives > 0
            and control_positives + control_negatives > 0
            and not (control_positives = 0 and (treated_positives = 0 or treated_negatives + control_negatives = 0))
            then treated_positives * treated_positives / 2
                + (treated_negatives + control_negatives) * treated_positives
                + control_positives * (treated_positives + qini_of_all) / 2
                - qini_of_all / 2
    end), 0) as qini
from treated_scores
