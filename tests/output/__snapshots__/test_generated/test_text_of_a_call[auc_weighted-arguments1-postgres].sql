-- auc of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        case when pg_typeof(clicked) = 'real'::regtype then cast(cast(cast(clicked as text) as real) as double precision) else cast(case cast(clicked as text) when 'true' then '1' when 'false' then '0' else cast(clicked as text) end as double precision) end as label,
        cast(pctr as double precision) as score,
        cast(w as double precision) as weight
    from impressions
),
observations as (
    -- the rows that count
    select
        label * weight as pos,
        (1 - label) * weight as neg,
        score
    from source
    where label is not null
        and label <> cast('NaN' as double precision)
        and score is not null
        and score <> cast('NaN' as double precision)
        and weight is not null
        and weight <> cast('NaN' as double precision)
),
distinct_scores as (
    -- one per distinct score
    select
        score,
        sum(pos) as pos,
        sum(neg) as neg,
        count(*) as row_count
    from observations
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
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- P(score of a positive > score of a negative) + ½ P(the two are equal)
    1 - sum(pos / nullif(positives, 0) * ((false_positives - neg / 2) / nullif(negatives, 0))) as auc
from thresholds
