-- cal_n of impressions
with
source as not materialized (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
valid_rows as not materialized (
    -- rows without missing values
    select
        label as pos,
        1 - label as neg,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
scores_with_weights as (
    -- one per row, with the weight before it
    select
        score,
        pos,
        1 - pos as neg,
        1 as row_count,
        cast(rank() over (order by score asc) - 1 as double) as weight_before
    from valid_rows
),
rows_to_bin as (
    -- one per slice
    select
        cast(count(*) as double) as weight_of_all
    from valid_rows
),
binned_scores as (
    -- scores with their bin
    select
        scored.*,
        least(floor(10 * weight_before / nullif(weight_of_all, 0)), 9) as bin
    from scores_with_weights as scored
    inner join rows_to_bin as counted on 1 = 1
),
score_bins as (
    -- one per bin of scores that holds a row
    select
        bin,
        sum(pos) as pos,
        sum(neg) as neg,
        sum((pos + neg) * score) as score_sum,
        sum(row_count) as row_count
    from binned_scores
    group by bin
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- √ mean over bins of e², e = PCOC − 1 where PCOC ≥ 1, else 1/PCOC − 1
    sqrt(avg(case
            when pos > 0 and score_sum >= pos then (score_sum / pos - 1) * (score_sum / pos - 1)
            when pos > 0 and score_sum > 0 then (pos / score_sum - 1) * (pos / score_sum - 1)
        end)) as cal_n
from score_bins
