-- ece of impressions
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
binned_scores as not materialized (
    select
        score,
        pos,
        neg,
        case
            when score >= 1 then 9
            when (candidate + 1) / 10 <= score then candidate + 1
            when candidate / 10 > score then candidate - 1
            else candidate
        end as bin
    from (
        select
            score,
            pos,
            neg,
            floor(score * 10) as candidate
        from observations
    ) as candidates
),
score_bins as not materialized (
    select
        bin,
        sum(pos) as pos,
        sum(neg) as neg,
        sum((pos + neg) * score) as score_sum,
        count(*) as row_count
    from binned_scores
    group by
        bin
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    sum(abs(pos - score_sum)) / nullif(sum(pos + neg), 0) as ece
from score_bins
