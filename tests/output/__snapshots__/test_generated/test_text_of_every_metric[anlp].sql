-- anlp of impressions
with
source as (
    -- input columns under canonical names
    select
        cast(won as double) as won,
        case when cast(won as double) = 1 then cast(p_price as double) else cast(p_survive as double) end as price_mass_censored
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        won,
        price_mass_censored
    from source
    where (isfinite(won) or isinf(won)) is true
        and (isfinite(price_mass_censored) or isinf(price_mass_censored)) is true
)
select
    count(*) as n,
    -- −mean ln p, p the probability of the price that was seen, or of a price above the bid where the bid lost
    avg(-ln(greatest(price_mass_censored, 1e-20))) as anlp
from valid_rows
