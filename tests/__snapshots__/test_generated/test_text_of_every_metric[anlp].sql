-- anlp of impressions
with
source as not materialized (
    select
        cast(won as double) as won,
        case when cast(won as double) = 1 then cast(p_price as double) else cast(p_survive as double) end as price_mass_censored
    from impressions
),
observations as not materialized (
    select
        won,
        price_mass_censored
    from source
    where (isfinite(won) or isinf(won)) is true
        and (isfinite(price_mass_censored) or isinf(price_mass_censored)) is true
)
select
    count(*) as n,
    avg(-ln(greatest(price_mass_censored, 1e-20))) as anlp
from observations
