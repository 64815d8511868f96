-- mse of impressions
with
source as not materialized (
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as not materialized (
    select
        cast(1 as double) as weight,
        label,
        score
    from source
    where label is not null
        and not isnan(label)
        and score is not null
        and not isnan(score)
)
select
    count(*) as n,
    sum((label - score) * (label - score)) / nullif(count(*), 0) as mse
from observations
