-- quantile_coverage of impressions
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
    -- share of the rows with y ≤ ŷ
    sum(cast(case when label <= score then 1 else 0 end as double)) / nullif(count(*), 0) as quantile_coverage
from observations
