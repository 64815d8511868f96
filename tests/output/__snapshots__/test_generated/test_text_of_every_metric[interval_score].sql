-- interval_score of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(lower_bound as double) as lower_bound,
        cast(upper_bound as double) as upper_bound
    from impressions
),
observations as (
    -- the rows that count
    select
        cast(1 as double) as weight,
        label,
        lower_bound,
        upper_bound
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(lower_bound) or isinf(lower_bound)) is true
        and (isfinite(upper_bound) or isinf(upper_bound)) is true
)
select
    count(*) as n,
    -- mean of (u − l) + 2/α·(l − y)⁺ + 2/α·(y − u)⁺
    sum((upper_bound - lower_bound + (greatest(lower_bound - label, 0) + greatest(label - upper_bound, 0)) * 2 / 0.2)) / nullif(count(*), 0) as interval_score
from observations
