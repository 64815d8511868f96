-- smape of impressions
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
    -- 100 · mean 2·|y − ŷ| / (|y| + |ŷ|), 0/0 counting 0
    200 * sum(coalesce(abs(label - score) / nullif(abs(label) + abs(score), 0), 0)) / nullif(count(*), 0) as smape
from observations
