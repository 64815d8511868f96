-- mape of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as (
    -- the rows that count
    select
        cast(1 as double) as weight,
        label,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
)
select
    count(*) as n,
    -- mean |y − ŷ| / |y|, × 100 in percent
    100 * sum(weight * (abs(label - score) / nullif(abs(label), 0))) / nullif(sum(case when label <> 0 then weight end), 0) as mape
from observations
