-- log_loss of impressions
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
    -- −mean(y·ln p + (1 − y)·ln(1 − p)), p kept within [eps, 1 − eps]
    0 - sum(ln(case when abs(neg - score) > 2.220446049250313e-16 then abs(neg - score) else 2.220446049250313e-16 end)) / nullif(count(*), 0) as log_loss
from observations
