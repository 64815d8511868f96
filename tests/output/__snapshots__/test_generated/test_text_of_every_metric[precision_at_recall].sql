-- precision_at_recall of impressions
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
score_ranks as (
    -- one per row, ranked
    select
        score,
        row_number() over (order by score desc) as place,
        rank() over (order by score desc) as first_place,
        sum(pos) over (order by score desc) as true_positives,
        sum(1 - pos) over (order by score desc) as false_positives,
        coalesce(sum(pos) over (order by score desc rows between unbounded preceding and 1 preceding), 0) as true_positives_above,
        sum(pos) over (order by score desc rows between unbounded preceding and unbounded following) as positives,
        sum(1 - pos) over (order by score desc rows between unbounded preceding and unbounded following) as negatives
    from labelled_scores
),
thresholds as (
    -- one per distinct score, weighted
    select
        score,
        cast(true_positives - true_positives_above as double) as pos,
        cast(false_positives - (first_place - 1 - true_positives_above) as double) as neg,
        cast(true_positives as double) as true_positives,
        cast(false_positives as double) as false_positives,
        cast(positives as double) as positives,
        cast(negatives as double) as negatives,
        true_positives + false_positives - (first_place - 1) as row_count
    from score_ranks
    where place = first_place
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- largest precision of the thresholds at which recall ≥ recall
    max(case when true_positives / nullif(positives, 0) >= 0.9 - 1e-9 then true_positives / nullif(true_positives + false_positives, 0) end) as precision_at_recall
from thresholds
