-- r2 of impressions
with
source as not materialized (
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as not materialized (
    select
        cast(1 as double) as weight,
        label,
        score
    from source
    where label is not null
        and not isnan(label)
        and score is not null
        and not isnan(score)
),
rows_metrics as not materialized (
    select
        count(*) as n
    from observations
),
r2_metrics as not materialized (
    select
        1 - sum(weight * (label - score) * (label - score)) / nullif(sum(weight * (label - mean_label) * (label - mean_label)), 0) as r2
    from (
        select
            label,
            score,
            weight,
            case when lowest = highest then lowest else weighted_labels / nullif(weights, 0) end as mean_label
        from (
            select
                label,
                score,
                weight,
                min(case when weight > 0 then label end) over () as lowest,
                max(case when weight > 0 then label end) over () as highest,
                sum(weight * label) over () as weighted_labels,
                sum(weight) over () as weights
            from observations
        ) as labels_with_sums
    ) as labels_with_mean
)
select
    coalesce(rows_metrics.n, 0) as n,
    r2_metrics.r2
from rows_metrics
left join r2_metrics
    on 1 = 1
