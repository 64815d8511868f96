-- auc of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(pctr as double precision) as score,
        cast(clicks as double precision) as positives,
        cast(impressions as double precision) as total
    from impressions
),
valid_rows as (
    -- the rows that count
    select
        positives as pos,
        total - positives as neg,
        score
    from source
    where score is not null
        and score <> cast('NaN' as double precision)
        and positives is not null
        and positives <> cast('NaN' as double precision)
        and total is not null
        and total <> cast('NaN' as double precision)
),
distinct_scores as (
    -- one per distinct score
    select
        score,
        sum(pos) as pos,
        sum(neg) as neg,
        count(*) as row_count
    from valid_rows
    group by
        score
),
thresholds as (
    -- one per distinct score, weighted
    select
        score,
        pos,
        neg,
        row_count,
        sum(pos) over (order by score desc rows unbounded preceding) as true_positives,
        sum(neg) over (order by score desc rows unbounded preceding) as false_positives,
        sum(pos) over () as positives,
        sum(neg) over () as negatives
    from distinct_scores
)
select
    cast(least(round(coalesce(sum(pos + neg), 0)), 9e18) as bigint) as n,
    -- P(score of a positive > score of a negative) + ½ P(the two are equal)
    1 - sum(pos / nullif(positives, 0) * ((false_positives - neg / 2) / nullif(negatives, 0))) as auc
from thresholds
