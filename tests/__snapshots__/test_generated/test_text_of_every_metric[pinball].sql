-- pinball of impressions
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
    sum((0.5 * greatest(label - score, 0) + (1 - 0.5) * greatest(score - label, 0))) / nullif(count(*), 0) as pinball
from observations
