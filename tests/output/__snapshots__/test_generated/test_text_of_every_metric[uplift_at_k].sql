-- uplift_at_k of impressions
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
        coalesce((treated_positives_above + treated_negatives_above + control_positives_above + control_negatives_above) / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0), 0) as share_above,
        coalesce((treated_positives_here + treated_negatives_here) / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0), 0) as treated_rows,
        coalesce(treated_positives_here / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0), 0) as treated_responses,
        coalesce((treated_positives_here + treated_negatives_here) / nullif((treated_positives_in_all + treated_negatives_in_all), 0), 0) as treated_share,
        coalesce((treated_positives_above + treated_negatives_above) / nullif((treated_positives_in_all + treated_negatives_in_all), 0), 0) as treated_share_above,
        coalesce((control_positives_here + control_negatives_here) / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0), 0) as control_rows,
        coalesce(control_positives_here / nullif((treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all), 0), 0) as control_responses,
        coalesce((control_positives_here + control_negatives_here) / nullif((control_positives_in_all + control_negatives_in_all), 0), 0) as control_share,
        coalesce((control_positives_above + control_negatives_above) / nullif((control_positives_in_all + control_negatives_in_all), 0), 0) as control_share_above,
        (treated_positives_through + treated_negatives_through + control_positives_through + control_negatives_through) as weight_through,
        (treated_positives_in_all + treated_negatives_in_all + control_positives_in_all + control_negatives_in_all) as weight_of_all,
        row_count
    from treated_sums
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- Yₜ / Nₜ − Y_c / N_c over the rows of the highest scores that hold the share of all weight, by_group over the highest of the treated and the highest of the others
    sum(treated_responses * case when cast(0.3 as double) >= 1 then 1 when cast(0.3 as double) - share_above <= 1e-9 then 0 when cast(0.3 as double) - share_above >= share then 1 else (cast(0.3 as double) - share_above) / nullif(share, 0) end) / nullif(sum(treated_rows * case when cast(0.3 as double) >= 1 then 1 when cast(0.3 as double) - share_above <= 1e-9 then 0 when cast(0.3 as double) - share_above >= share then 1 else (cast(0.3 as double) - share_above) / nullif(share, 0) end), 0) - sum(control_responses * case when cast(0.3 as double) >= 1 then 1 when cast(0.3 as double) - share_above <= 1e-9 then 0 when cast(0.3 as double) - share_above >= share then 1 else (cast(0.3 as double) - share_above) / nullif(share, 0) end) / nullif(sum(control_rows * case when cast(0.3 as double) >= 1 then 1 when cast(0.3 as double) - share_above <= 1e-9 then 0 when cast(0.3 as double) - share_above >= share then 1 else (cast(0.3 as double) - share_above) / nullif(share, 0) end), 0) as uplift_at_k
from treated_scores
