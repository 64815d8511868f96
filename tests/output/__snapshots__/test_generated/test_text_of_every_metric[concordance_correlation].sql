-- concordance_correlation of impressions
with
source as not materialized (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
valid_rows as not materialized (
    -- rows without missing values
    select
        cast(1 as double) as weight,
        label,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
means as (
    -- one per slice
    select
        case
        when min(case when weight > 0 then label end) = max(case when weight > 0 then label end)
            then min(case when weight > 0 then label end)
        else sum(weight * label) / nullif(sum(weight), 0)
    end as mean_label,
        case
        when min(case when weight > 0 then score end) = max(case when weight > 0 then score end)
            then min(case when weight > 0 then score end)
        else sum(weight * score) / nullif(sum(weight), 0)
    end as mean_score
    from valid_rows
),
centred_rows as (
    -- one per row of the log, with the means of its slice
    select
        label,
        score,
        weight,
        mean_label,
        mean_score
    from valid_rows as used
    inner join means as means on 1 = 1
)
select
    count(*) as n,
    -- 2·Σ w(y − ȳ)(ŷ − m) / (Σ w(y − ȳ)² + Σ w(ŷ − m)² + Σ w·(ȳ − m)²), m the mean of ŷ
    2 * (
        sum(weight * (label - mean_label) * (score - mean_score))
        - sum(weight * (label - mean_label)) * (sum(weight * (score - mean_score)) / nullif(sum(weight), 0))
    )
        / nullif(
            sum(weight * (label - score) * (label - score))
            + 2 * (
        sum(weight * (label - mean_label) * (score - mean_score))
        - sum(weight * (label - mean_label)) * (sum(weight * (score - mean_score)) / nullif(sum(weight), 0))
    ),
            0
        ) as concordance_correlation
from centred_rows
