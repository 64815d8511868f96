-- threshold_table of impressions
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
distinct_scores as materialized (
    -- one per distinct score
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
),
threshold_table as (
    -- confusion counts and rates at every distinct score, from the highest down
    select
        threshold,
        tp,
        fp,
        positives - tp as fn,
        negatives - fp as tn,
        tp / nullif(positives, 0) as tpr,
        fp / nullif(negatives, 0) as fpr,
        tp / nullif(tp + fp, 0) as precision,
        tp / nullif(positives, 0) as recall
    from (
        select
            cast('Infinity' as double) as threshold,
            cast(0 as double) as tp,
            cast(0 as double) as fp,
            sum(pos) as positives,
            sum(neg) as negatives
        from distinct_scores
        having count(*) > 0
        union all
        select
            min(score) as threshold,
            max(true_positives) as tp,
            max(false_positives) as fp,
            max(positives) as positives,
            max(negatives) as negatives
        from (
            select
                score,
                true_positives,
                false_positives,
                positives,
                negatives,
                least(floor(200 * (true_positives + false_positives - pos - neg) / nullif(positives + negatives, 0)), 199) as bin
            from thresholds
        ) as binned
        group by
            bin
    ) as points
)
select
    threshold_table.threshold,
    threshold_table.tp,
    threshold_table.fp,
    threshold_table.fn,
    threshold_table.tn,
    threshold_table.tpr,
    threshold_table.fpr,
    threshold_table.precision,
    threshold_table.recall
from threshold_table
order by
    threshold_table.threshold desc,
    threshold_table.tp asc,
    threshold_table.fp asc
