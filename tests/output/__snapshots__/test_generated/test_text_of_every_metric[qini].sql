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
observations as (
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
        sum(treatment * pos) as treated_positives_here,
        sum(treatment * neg) as treated_negatives_here,
        sum((1 - treatment) * pos) as control_positives_here,
        sum((1 - treatment) * neg) as control_negatives_here,
        count(*) as row_count
    from observations
    group by
        score
),
treated_sums as (
    -- one per distinct score, with the sums over the higher ones
    select
        score,
        treated_positives_here,
        treated_negatives_here,
        control_positives_here,
        control_negatives_here,
        row_count,
        coalesce(sum(treated_positives_here) over (order by score desc rows between unbounded preceding and 1 preceding), 0) as treated_positives_above,
        sum(treated_positives_here) over (order by score desc rows unbounded preceding) as treated_positives_through,
        sum(treated_positives_here) over () as treated_positives_in_all,
        coalesce(sum(treated_negatives_here) over (order by score desc rows between unbounded preceding and 1 preceding), 0) as treated_negatives_above,
        sum(treated_negatives_here) over (order by score desc rows unbounded preceding) as treated_negatives_through,
        sum(treated_negatives_here) over () as treated_negatives_in_all,
        coalesce(sum(control_positives_here) over (order by score desc rows between unbounded preceding and 1 preceding), 0) as control_positives_above,
        sum(control_positives_here) over (order by score desc rows unbounded preceding) as control_positives_through,
        sum(control_positives_here) over () as control_positives_in_all,
        coalesce(sum(control_negatives_here) over (order by score desc rows between unbounded preceding and 1 preceding), 0) as control_negatives_above,
        sum(control_negatives_here) over (order by score desc rows unbounded preceding) as control_negatives_through,
        sum(control_negatives_here) over () as control_negatives_in_all
    from distinct_treated_scores
),
treated_scores as (
    -- one per distinct score, with what the treatment gained down to it
    select
        score,
        coalesce((treated_positives_here + treated_negatives_here + control_positives_here + control_negatives_here) / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0), 0) as share,
        coalesce((treated_positives_through + treated_negatives_through + control_positives_through + control_negatives_through) / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0), 0) as share_through,
        coalesce(treated_positives_through / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0) - coalesce(control_positives_through / nullif((control_positives_through + control_negatives_through), 0), 0) * ((treated_positives_through + treated_negatives_through) / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0)), 0) as qini,
        coalesce(treated_positives_above / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0) - coalesce(control_positives_above / nullif((control_positives_above + control_negatives_above), 0), 0) * ((treated_positives_above + treated_negatives_above) / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0)), 0) as qini_above,
        (coalesce(treated_positives_through / nullif((treated_positives_through + treated_negatives_through), 0), 0) - coalesce(control_positives_through / nullif((control_positives_through + control_negatives_through), 0), 0)) * coalesce(((treated_positives_through + treated_negatives_through) + (control_positives_through + control_negatives_through)) / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0), 0) as uplift,
        (coalesce(treated_positives_above / nullif((treated_positives_above + treated_negatives_above), 0), 0) - coalesce(control_positives_above / nullif((control_positives_above + control_negatives_above), 0), 0)) * coalesce(((treated_positives_above + treated_negatives_above) + (control_positives_above + control_negatives_above)) / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0), 0) as uplift_above,
        treated_positives_in_all / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0) as treated_positives,
        treated_negatives_in_all / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0) as treated_negatives,
        control_positives_in_all / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0) as control_positives,
        control_negatives_in_all / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0) as control_negatives,
        (treated_positives_through + treated_negatives_through + control_positives_through + control_negatives_through) as weight_through,
        (treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all) as weight_of_all,
        row_count
    from treated_sums
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- (A − R) / (P − R), A the area under the Qini curve Yₜ − Y_c·Nₜ / N_c over the rows by descending score, R that of the straight line to its end, P
    -- that of a perfect order
    (sum(share * (qini_above + qini)) / 2 - max(treated_positives - control_positives / nullif(control_positives + control_negatives, 0) * (treated_positives + treated_negatives)) / 2) / nullif(max(case when treated_positives + treated_negatives > 0 and control_positives + control_negatives > 0 and not (control_positives = 0 and (treated_positives = 0 or treated_negatives + control_negatives = 0)) then treated_positives * treated_positives / 2 + (treated_negatives + control_negatives) * treated_positives + control_positives * (treated_positives + (treated_positives - control_positives / nullif(control_positives + control_negatives, 0) * (treated_positives + treated_negatives))) / 2 - (treated_positives - control_positives / nullif(control_positives + control_negatives, 0) * (treated_positives + treated_negatives)) / 2 end), 0) as qini
from treated_scores
