-- cal_n of impressions
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
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
scores_to_bin as not materialized (
    select
        score,
        sum(pos) as pos,
        count(*) - sum(pos) as neg,
        count(*) as row_count
    from observations
    group by
        score
),
binned_scores as not materialized (
    select
        score,
        pos,
        neg,
        row_count,
        least(floor(10 * coalesce(weight_below, 0) / nullif(weight_of_all, 0)), 9) as bin
    from (
        select
            score,
            pos,
            neg,
            row_count,
            sum(pos + neg) over (order by score rows between unbounded preceding and 1 preceding) as weight_below,
            sum(pos + neg) over () as weight_of_all
        from scores_to_bin
    ) as scores_with_weights
),
score_bins as not materialized (
    select
        bin,
        sum(pos) as pos,
        sum(neg) as neg,
        sum((pos + neg) * score) as score_sum,
        sum(row_count) as row_count
    from binned_scores
    group by
        bin
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    sqrt(avg(case when pos > 0 and score_sum >= pos then (score_sum / pos - 1) * (score_sum / pos - 1) when pos > 0 and score_sum > 0 then (pos / score_sum - 1) * (pos / score_sum - 1) end)) as cal_n
from score_bins
