-- balanced_accuracy of impressions
with
source as not materialized (
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as not materialized (
    select
        label as pos,
        1 - label as neg,
        score
    from source
    where label is not null
        and not isnan(label)
        and score is not null
        and not isnan(score)
)
select
    count(*) as n,
    (sum(pos * cast(score >= 0.5 as double)) / nullif(sum(pos), 0) + (count(*) - sum(pos) - sum(cast(score >= 0.5 as double)) + sum(pos * cast(score >= 0.5 as double))) / nullif((count(*) - sum(pos)), 0)) / 2 as balanced_accuracy
from observations
