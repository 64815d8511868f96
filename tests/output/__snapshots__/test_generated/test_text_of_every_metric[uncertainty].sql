-- uncertainty of impressions
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
    -- the loss of the rate of positives ȳ as the score of every row, ȳ·(1 − ȳ) or −ȳ·ln ȳ − (1 − ȳ)·ln(1 − ȳ)
    sum(pos) / nullif(count(*), 0) * ((count(*) - sum(pos)) / nullif(count(*), 0)) as uncertainty
from observations
