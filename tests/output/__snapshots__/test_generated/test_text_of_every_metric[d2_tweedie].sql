-- d2_tweedie of impressions
with
source as not materialized (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as not materialized (
    -- the rows that count
    select
        cast(1 as double) as weight,
        label,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
means as (
    -- one per slice
    select
        case
        when min(case when weight > 0 then label end) = max(case when weight > 0 then label end) then min(case when weight > 0 then label end)
        else sum(weight * label) / nullif(sum(weight), 0)
    end as mean_label
    from observations
),
centred_rows as (
    -- one per row of the log, beside the means of its slice
    select
        label,
        score,
        weight,
        mean_label
    from observations as used
    inner join means as means
        on 1 = 1
)
select
    count(*) as n,
    -- 1 − Σ w·d(y, ŷ) / Σ w·d(y, ȳ), d the Tweedie deviance
    1 - sum(weight * case
        when label = score then 0
        when score > 0 and abs(label - score) <= 0.01 * score then power(score, 2 - cast(1.5 as double)) * (((label - score) / score) * (((label - score) / score) * (1.0 + ((label - score) / score) * (-0.5 + ((label - score) / score) * (0.3125 + ((label - score) / score) * (-0.21875 + ((label - score) / score) * (0.1640625 + ((label - score) / score) * (-0.12890625 + ((label - score) / score) * (0.104736328125)))))))))
        when score > 0 and score > 0 and label >= 0 then 2 * (power(label, 2 - cast(1.5 as double)) / ((1 - cast(1.5 as double)) * (2 - cast(1.5 as double))) - label * power(score, 1 - cast(1.5 as double)) / (1 - cast(1.5 as double)) + power(score, 2 - cast(1.5 as double)) / (2 - cast(1.5 as double)))
    end) / nullif(sum(weight * case
        when label = mean_label then 0
        when mean_label > 0 and abs(label - mean_label) <= 0.01 * mean_label then power(mean_label, 2 - cast(1.5 as double)) * (((label - mean_label) / mean_label) * (((label - mean_label) / mean_label) * (1.0 + ((label - mean_label) / mean_label) * (-0.5 + ((label - mean_label) / mean_label) * (0.3125 + ((label - mean_label) / mean_label) * (-0.21875 + ((label - mean_label) / mean_label) * (0.1640625 + ((label - mean_label) / mean_label) * (-0.12890625 + ((label - mean_label) / mean_label) * (0.104736328125)))))))))
        when mean_label > 0 and score > 0 and label >= 0 then 2 * (power(label, 2 - cast(1.5 as double)) / ((1 - cast(1.5 as double)) * (2 - cast(1.5 as double))) - label * power(mean_label, 1 - cast(1.5 as double)) / (1 - cast(1.5 as double)) + power(mean_label, 2 - cast(1.5 as double)) / (2 - cast(1.5 as double)))
    end), 0) as d2_tweedie
from centred_rows
