-- ks of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as (
    -- the rows that count
    select
        label as pos,
        1 - label as neg,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
labelled_scores as (
    -- what is sorted
    select
        cast(pos as tinyint) as pos,
        score
    from observations
),
ranked_scores as (
    -- one per row of the log, unweighted
    select
        cast(pos as double) as pos,
        cast(1 - pos as double) as neg,
        cast(rank() over (order by score desc) - 1 as double) as rows_above,
        cume_dist() over (order by score desc) as share_through,
        cast(sum(pos) over (order by score desc) as double) as true_positives,
        cast(sum(pos) over (order by score desc rows between unbounded preceding and unbounded following) as double) as positives,
        cast(sum(1 - pos) over (order by score desc rows between unbounded preceding and unbounded following) as double) as negatives
    from labelled_scores
)
select
    count(*) as n,
    -- largest TPR − FPR over the thresholds
    max(true_positives / nullif(positives, 0) - (round((positives + negatives) * share_through) - true_positives) / nullif(negatives, 0)) as ks
from ranked_scores
