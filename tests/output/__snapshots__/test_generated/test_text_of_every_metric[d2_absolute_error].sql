-- d2_absolute_error of impressions
with
source as not materialized (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
valid_rows as not materialized (
    -- rows without missing values
    select
        cast(1 as double) as weight,
        label,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
distinct_labels as (
    -- one per distinct label
    select
        label,
        sum(weight) as weight,
        count(*) as row_count
    from valid_rows
    group by label
),
reached_labels as (
    -- labels, with their cumulative weight
    select
        label,
        weight,
        row_count,
        sum(weight) over (order by label asc rows unbounded preceding) as reached,
        sum(weight) over () as total
    from distinct_labels
),
quantiles as (
    -- one per slice
    select
        min(case when reached >= cast(0.5 as double) * total and weight > 0 then label end) as best_constant
    from reached_labels
),
quantile_rows as (
    -- one per row of the log, with the quantile of the labels of its slice
    select
        label,
        score,
        weight,
        best_constant
    from valid_rows as used
    inner join quantiles as quantiles on 1 = 1
)
select
    count(*) as n,
    -- 1 − Σ w|y − ŷ| / Σ w|y − median of the labels|
    1 - sum(weight * abs(label - score)) / nullif(sum(weight * abs(label - best_constant)), 0) as d2_absolute_error
from quantile_rows
