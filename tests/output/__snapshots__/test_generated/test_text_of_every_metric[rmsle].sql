-- rmsle of impressions
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
    -- √ mean (ln(1 + y) − ln(1 + ŷ))²
    sqrt(sum(case when label > -1 and score > -1 then weight * power(case
        when abs(((label - score) / (1 + score))) > 0.5 then ln(1 + label) - ln(1 + score)
        when 1 + ((label - score) / (1 + score)) = 1 then ((label - score) / (1 + score))
        else ((label - score) / (1 + score)) * (ln(1 + ((label - score) / (1 + score))) / ((1 + ((label - score) / (1 + score))) - 1))
    end, 2) end) / nullif(sum(case when label > -1 and score > -1 then weight end), 0)) as rmsle
from observations
