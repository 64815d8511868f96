-- explained_variance of impressions
with
source as not materialized (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as not materialized (
    -- the rows that count
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
        when min(case when weight > 0 then label end) = max(case when weight > 0 then label end) then min(case when weight > 0 then label end)
        else sum(weight * label) / nullif(sum(weight), 0)
    end as mean_label,
        case
        when min(case when weight > 0 then (label - score) end) = max(case when weight > 0 then (label - score) end) then min(case when weight > 0 then (label - score) end)
        else sum(weight * (label - score)) / nullif(sum(weight), 0)
    end as mean_error
    from observations
),
centred_rows as (
    -- one per row of the log, beside the means of its slice
    select
        label,
        score,
        weight,
        mean_label,
        mean_error
    from observations as used
    inner join means as means
        on 1 = 1
)
select
    count(*) as n,
    -- 1 − Σ w(e − ē)² / Σ w(y − ȳ)², e = y − ŷ
    1 - (sum(weight * (label - score - mean_error) * (label - score - mean_error)) - sum(weight * (label - score - mean_error)) * (sum(weight * (label - score - mean_error)) / nullif(sum(weight), 0))) / nullif((sum(weight * (label - mean_label) * (label - mean_label)) - sum(weight * (label - mean_label)) * (sum(weight * (label - mean_label)) / nullif(sum(weight), 0))), 0) as explained_variance
from centred_rows
