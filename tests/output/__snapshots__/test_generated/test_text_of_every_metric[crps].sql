-- crps of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(p10 as double) as quantile_1_1,
        cast(p50 as double) as quantile_1_2,
        cast(p90 as double) as quantile_1_3
    from impressions
),
observations as (
    -- the rows that count
    select
        cast(1 as double) as weight,
        label,
        quantile_1_1,
        quantile_1_2,
        quantile_1_3
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(quantile_1_1) or isinf(quantile_1_1)) is true
        and (isfinite(quantile_1_2) or isinf(quantile_1_2)) is true
        and (isfinite(quantile_1_3) or isinf(quantile_1_3)) is true
)
select
    count(*) as n,
    -- mean over rows and levels of 2·(α·(y − q)⁺ + (1 − α)·(q − y)⁺), q the predicted quantile of level α
    sum(((0.1 * greatest(label - quantile_1_1, 0) + (1 - 0.1) * greatest(quantile_1_1 - label, 0) + 0.5 * greatest(label - quantile_1_2, 0) + (1 - 0.5) * greatest(quantile_1_2 - label, 0) + 0.9 * greatest(label - quantile_1_3, 0) + (1 - 0.9) * greatest(quantile_1_3 - label, 0)) * 2 / 3)) / nullif(count(*), 0) as crps
from observations
