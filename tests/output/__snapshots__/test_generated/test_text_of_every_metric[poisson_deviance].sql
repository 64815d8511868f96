-- poisson_deviance of impressions
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
    -- mean 2·(y·ln(y/ŷ) − y + ŷ)
    sum(weight * case
        when label = score then 0
        when score > 0 and abs(label - score) <= 0.01 * score then score * (((label - score) / score) * (((label - score) / score) * (1.0 + ((label - score) / score) * (-0.3333333333333333e0 + ((label - score) / score) * (0.16666666666666666e0 + ((label - score) / score) * (-0.1 + ((label - score) / score) * (0.06666666666666667e0 + ((label - score) / score) * (-0.047619047619047616e0 + ((label - score) / score) * (0.03571428571428571e0)))))))))
        when score > 0 and score > 0 and label >= 0 then 2 * (case when label > 0 then label * ln(label / score) else 0 end - label + score)
    end) / nullif(sum(case when score > 0 and label >= 0 then weight end), 0) as poisson_deviance
from observations
