-- direct_method of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(q_policy as double) as q_policy
    from impressions
),
observations as (
    -- the rows that count
    select
        cast(1 as double) as weight,
        q_policy
    from source
    where (isfinite(q_policy) or isinf(q_policy)) is true
)
select
    count(*) as n,
    -- mean of q_policy, what a model of the reward predicts of the policy
    sum(q_policy) / nullif(count(*), 0) as direct_method
from observations
