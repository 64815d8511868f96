-- clipped_ips of impressions
with
source as (
    -- input columns under canonical names
    select
        cast(reward as double) as reward,
        cast(propensity as double) as propensity,
        cast(target as double) as target
    from impressions
),
valid_rows as (
    -- rows without missing values
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
    -- mean of min(w, max_weight)·r, w = target / propensity
    sum((least((target / nullif(propensity, 0)), 1) * reward)) / nullif(count(*), 0) as clipped_ips
from valid_rows
