-- log_cosh_error of impressions
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
        cast(1 as double) as weight,
        label,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
)
select
    count(*) as n,
    -- mean of ln(cosh(y − ŷ))
    sum(case when abs(label - score) > 20 then abs(label - score) - ln(2) when abs(label - score) < 0.01 then ((label - score) * (label - score)) * (0.5 - ((label - score) * (label - score)) / 12) else abs(label - score) + ln(1 + exp(-2 * abs(label - score))) - ln(2) end) / nullif(count(*), 0) as log_cosh_error
from observations
