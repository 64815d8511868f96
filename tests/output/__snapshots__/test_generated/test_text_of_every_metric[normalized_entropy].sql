-- normalized_entropy of impressions
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
    -- log loss / −(q·ln q + (1 − q)·ln(1 − q)), q the slice's own rate of positives
    case when sum(pos) > 0 and sum(neg) > 0 then 0 - sum(ln(least(case when abs(neg - score) > 2.220446049250313e-16 then abs(neg - score) else 2.220446049250313e-16 end, 1 - 2.220446049250313e-16))) / nullif(count(*), 0)
        / nullif(-(sum(pos) * ln(sum(pos) / sum(pos + neg)) + sum(neg) * ln(sum(neg) / sum(pos + neg))) / sum(pos + neg), 0) end as normalized_entropy
from observations
