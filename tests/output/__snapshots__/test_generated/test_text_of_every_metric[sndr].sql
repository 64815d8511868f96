-- sndr of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(reward as double) as reward,
        cast(propensity as double) as propensity,
        cast(target as double) as target,
        cast(q_action as double) as q_action,
        cast(q_policy as double) as q_policy
    from impressions
),
observations as (
    -- the rows that count
    select
        cast(1 as double) as weight,
        reward,
        propensity,
        target,
        q_action,
        q_policy
    from source
    where (isfinite(reward) or isinf(reward)) is true
        and (isfinite(propensity) or isinf(propensity)) is true
        and (isfinite(target) or isinf(target)) is true
        and (isfinite(q_action) or isinf(q_action)) is true
        and (isfinite(q_policy) or isinf(q_policy)) is true
)
select
    count(*) as n,
    -- mean of q_policy + Σ w·(r − q_action) / Σ w, w = target / propensity
    sum(q_policy) / nullif(count(*), 0)
        + sum(((target / nullif(propensity, 0)) * (reward - q_action))) / nullif(sum((target / nullif(propensity, 0))), 0) as sndr
from observations
