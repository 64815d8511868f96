-- gamma_deviance of impressions
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
    -- mean 2·(ln(ŷ/y) + y/ŷ − 1)
    sum(weight * case
        when label = score then 0
        when score > 0 and abs(label - score) <= 0.01 * score then 1 * (((label - score) / score) * (((label - score) / score) * (1.0 + ((label - score) / score) * (-0.6666666666666666e0 + ((label - score) / score) * (0.5 + ((label - score) / score) * (-0.4 + ((label - score) / score) * (0.3333333333333333e0 + ((label - score) / score) * (-0.2857142857142857e0 + ((label - score) / score) * (0.25)))))))))
        when score > 0 and score > 0 and label > 0 then 2 * (label / score - ln(label / score) - 1)
    end) / nullif(sum(case when score > 0 and label > 0 then weight end), 0) as gamma_deviance
from observations
