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
    where label is not null
        and not isnan(label)
        and score is not null
        and not isnan(score)
),
rows_metrics as not materialized (
    select
        count(*) as n
    from observations
),
medae_metrics as not materialized (
    select
        (min(case when 2 * reached >= total then error end) + min(case when 2 * reached > total then error end)) / 2 as medae
    from (
        select
            error,
            sum(weight) over (order by error rows unbounded preceding) as reached,
            sum(weight) over () as total
        from (
            select
                abs(label - score) as error,
                sum(weight) as weight
            from observations
            group by
                abs(label - score)
            having sum(weight) > 0
        ) as errors
    ) as errors_in_order
)
select
    coalesce(rows_metrics.n, 0) as n,
    medae_metrics.medae
from rows_metrics
left join medae_metrics
    on 1 = 1
