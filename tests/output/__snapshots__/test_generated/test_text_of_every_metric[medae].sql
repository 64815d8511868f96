-- medae of impressions
with
source as (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        cast(1 as double) as weight,
        label,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
distinct_errors as (
    -- one per distinct size of the error
    select
        abs(label - score) as error,
        sum(weight) as weight,
        count(*) as row_count
    from valid_rows
    group by abs(label - score)
),
errors as (
    -- one per distinct size of the error
    select
        error,
        weight,
        row_count,
        sum(weight) over (order by error asc rows unbounded preceding) as reached,
        sum(weight) over () as total
    from distinct_errors
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- (weighted) median of |y − ŷ|
    (
        min(case when 2 * reached >= total and weight > 0 then error end)
        + min(case when 2 * reached > total and weight > 0 then error end)
    ) / 2 as medae
from errors
