-- ks of impressions
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
),
distinct_scores as not materialized (
    select
        score,
        sum(pos) as pos,
        count(*) - sum(pos) as neg,
        count(*) as row_count
    from observations
    group by
        score
),
thresholds as not materialized (
    select
        score,
        pos,
        neg,
        sum(pos) over (order by score desc rows unbounded preceding) as true_positives,
        sum(neg) over (order by score desc rows unbounded preceding) as false_positives,
        sum(pos) over () as positives,
        sum(neg) over () as negatives,
        row_count
    from distinct_scores
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    max(true_positives / nullif(positives, 0) - false_positives / nullif(negatives, 0)) as ks
from thresholds
