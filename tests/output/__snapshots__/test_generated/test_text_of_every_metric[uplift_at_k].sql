-- uplift_at_k of impressions
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
treated_scores_rows as materialized (
    -- columns for the ranking
    select
        score,
        cast(treatment as tinyint) as treated,
        cast(pos as tinyint) as is_positive
    from valid_rows
),
treated_ranks as (
    -- ranks by score, overall and in each arm
    select
        treated,
        is_positive,
        cast(rank() over (order by score desc) - 1 as double) as rows_above,
        cume_dist() over (order by score desc) as cumulative_share,
        cast(rank() over (partition by treated order by score desc) - 1 as double) as arm_above,
        count(*) over (partition by treated) as rows_of_arm,
        cume_dist() over (partition by treated order by score desc) as cumulative_share_of_arm
    from treated_scores_rows
),
treated_scores as (
    -- one per distinct score, or row of the log, of treated rows and others
    select
        1 as row_count,
        cast(treated as double) as treated,
        cast(1 - treated as double) as control,
        cast(treated * is_positive as double) as treated_positives,
        cast((1 - treated) * is_positive as double) as control_positives,
        cumulative_share - rows_above / nullif(rows_of_all, 0) as share,
        rows_above / nullif(rows_of_all, 0) as share_above,
        cumulative_share_of_arm - arm_above / nullif(rows_of_arm, 0) as treated_share,
        arm_above / nullif(rows_of_arm, 0) as treated_share_above,
        cumulative_share_of_arm - arm_above / nullif(rows_of_arm, 0) as control_share,
        arm_above / nullif(rows_of_arm, 0) as control_share_above
    from treated_ranks as ranked
    inner join (
        select
            cast(count(*) as double) as rows_of_all
        from treated_scores_rows
    ) as totals on 1 = 1
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- Yₜ / Nₜ − Y_c / N_c over the rows of the highest scores that hold the share of all weight, by_group over the highest of the treated and the highest
    -- of the others
    sum(treated_positives * case
        when cast(0.3 as double) >= 1 then 1
        when cast(0.3 as double) - share_above <= 1e-9 then 0
        when cast(0.3 as double) - share_above >= share then 1
        else (cast(0.3 as double) - share_above) / nullif(share, 0)
    end)
    / nullif(sum(treated * case
        when cast(0.3 as double) >= 1 then 1
        when cast(0.3 as double) - share_above <= 1e-9 then 0
        when cast(0.3 as double) - share_above >= share then 1
        else (cast(0.3 as double) - share_above) / nullif(share, 0)
    end), 0)
    - sum(control_positives * case
        when cast(0.3 as double) >= 1 then 1
        when cast(0.3 as double) - share_above <= 1e-9 then 0
        when cast(0.3 as double) - share_above >= share then 1
        else (cast(0.3 as double) - share_above) / nullif(share, 0)
    end)
    / nullif(sum(control * case
        when cast(0.3 as double) >= 1 then 1
        when cast(0.3 as double) - share_above <= 1e-9 then 0
        when cast(0.3 as double) - share_above >= share then 1
        else (cast(0.3 as double) - share_above) / nullif(share, 0)
    end), 0) as uplift_at_k
from treated_scores
