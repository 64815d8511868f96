-- mcc of impressions
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
    (sum(case when score >= 0.5 then pos else 0 end) * sum(case when score >= 0.5 then 0 else neg end) - sum(case when score >= 0.5 then neg else 0 end) * sum(case when score >= 0.5 then 0 else pos end)) / nullif((sqrt(sum(case when score >= 0.5 then pos + neg else 0 end)) * sqrt(sum(case when score >= 0.5 then 0 else pos + neg end)) * sqrt(sum(pos)) * sqrt(sum(neg))), 0) as mcc
from observations
