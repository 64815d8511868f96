-- confusion_matrix of impressions
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
)
select
    count(*) as n,
    -- TP, FP, FN, TN, the (weighted) counts of right and wrong calls
    coalesce(sum(pos * cast(score >= 0.5 as double)), 0) as tp,
    coalesce((sum(cast(score >= 0.5 as double)) - sum(pos * cast(score >= 0.5 as double))), 0) as fp,
    coalesce((sum(pos) - sum(pos * cast(score >= 0.5 as double))), 0) as fn,
    coalesce((count(*) - sum(pos) - sum(cast(score >= 0.5 as double)) + sum(pos * cast(score >= 0.5 as double))), 0) as tn
from observations
