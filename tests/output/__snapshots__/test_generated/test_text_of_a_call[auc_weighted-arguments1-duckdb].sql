-- auc of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        cast(w as double) as weight
    from impressions
),
observations as (
    -- the rows that count
    select
        label * weight as pos,
        (1 - label) * weight as neg,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
        and (isfinite(weight) or isinf(weight)) is true
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
