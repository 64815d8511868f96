-- max_f1 of impressions
with
source as not materialized (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as not materialized (
    -- the rows that count
    select
        label as pos,
        1 - label as neg,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
labelled_scores as not materialized (
    -- what is sorted
    select
        cast(pos as tinyint) as pos,
        score
    from observations
),
score_ranks as not materialized (
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
thresholds as not materialized (
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
),
thresholds_metrics as (
    -- one per slice
    select
        cast(coalesce(sum(row_count), 0) as bigint) as n
    from thresholds
),
max_f1_metrics as (
    -- largest 2·TP / (2·TP + FN + FP) over the distinct scores
    select
        f1 as max_f1,
        score as max_f1_threshold
    from (
        select
            score,
            f1,
            row_number() over (order by f1 desc, score desc) as place
        from (
            select
                score,
                2 * true_positives / nullif(positives + true_positives + false_positives, 0) as f1
            from thresholds
            where pos > 0
        ) as f1_of_scores
    ) as f1_in_order
    where place = 1
)
select
    coalesce(thresholds_metrics.n, 0) as n,
    max_f1_metrics.max_f1,
    max_f1_metrics.max_f1_threshold
from thresholds_metrics
left join max_f1_metrics
    on 1 = 1
