-- tweedie_deviance of impressions
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
    -- mean 2·(y^(2 − p)/((1 − p)(2 − p)) − y·ŷ^(1 − p)/(1 − p) + ŷ^(2 − p)/(2 − p)), p the power
    sum(weight * case
        when label = score then 0
        when score > 0 and abs(label - score) <= 0.01 * score then power(score, 2 - cast(1.5 as double)) * (((label - score) / score) * (((label - score) / score) * (1.0 + ((label - score) / score) * (-0.5 + ((label - score) / score) * (0.3125 + ((label - score) / score) * (-0.21875 + ((label - score) / score) * (0.1640625 + ((label - score) / score) * (-0.12890625 + ((label - score) / score) * (0.104736328125)))))))))
        when score > 0 and score > 0 and label >= 0 then 2 * (power(label, 2 - cast(1.5 as double)) / ((1 - cast(1.5 as double)) * (2 - cast(1.5 as double))) - label * power(score, 1 - cast(1.5 as double)) / (1 - cast(1.5 as double)) + power(score, 2 - cast(1.5 as double)) / (2 - cast(1.5 as double)))
    end) / nullif(sum(case when score > 0 and label >= 0 then weight end), 0) as tweedie_deviance
from observations
