-- max_f1 of impressions
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
),
thresholds_metrics as not materialized (
    select
        cast(coalesce(sum(row_count), 0) as bigint) as n
    from thresholds
),
max_f1_metrics as not materialized (
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
            where positives > 0
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
