-- ece of impressions
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
binned_scores as (
    -- the bin of every row
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
score_bins as (
    -- one per bin of scores that holds a row
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
    -- Σ (weight of the bin / weight of all)·|rate − mean score|, l2 takes the root of the mean square, max the largest
    sum(abs(pos - score_sum)) / nullif(sum(pos + neg), 0) as ece
from score_bins
