-- ips of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(reward as double) as reward,
        cast(propensity as double) as propensity,
        cast(target as double) as target
    from impressions
),
observations as (
    -- the rows that count
    select
        cast(1 as double) as weight,
        reward,
        propensity,
        target
    from source
    where (isfinite(reward) or isinf(reward)) is true
        and (isfinite(propensity) or isinf(propensity)) is true
        and (isfinite(target) or isinf(target)) is true
)
select
    count(*) as n,
    -- mean of w·r, w = target / propensity
    sum(((target / nullif(propensity, 0)) * reward)) / nullif(count(*), 0) as ips
from observations
