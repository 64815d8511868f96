-- medae of impressions
with
source as not materialized (
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as not materialized (
    select
        cast(1 as double) as weight,
        label,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
distinct_errors as not materialized (
    select
        abs(label - score) as error,
        sum(weight) as weight,
        count(*) as row_count
    from observations
    group by
        abs(label - score)
),
errors as not materialized (
    select
        error,
        weight,
        sum(weight) over (order by error rows unbounded preceding) as reached,
        sum(weight) over () as total,
        row_count
    from distinct_errors
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    (min(case when 2 * reached >= total and weight > 0 then error end) + min(case when 2 * reached > total and weight > 0 then error end)) / 2 as medae
from errors
