-- selection_rate of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(pctr as double) as score
    from impressions
),
observations as (
    -- the rows that count
    select
        cast(1 as double) as weight,
        score
    from source
    where (isfinite(score) or isinf(score)) is true
)
select
    count(*) as n,
    -- (TP + FP) / N, the share of rows called positive
    sum(weight * cast(score >= 0.5 as double)) / nullif(sum(weight), 0) as selection_rate
from observations
