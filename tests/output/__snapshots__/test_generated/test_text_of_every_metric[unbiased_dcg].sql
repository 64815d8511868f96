-- unbiased_dcg of impressions
with
sqlmetrics_propensities as materialized (
    -- the query that was given
    select * from all_propensities
),
all_propensities as materialized (
    -- one per place
    select
        position as position,
        cast(propensity as double) as propensity
    from sqlmetrics_propensities
    where position is not null
        and (isfinite(cast(propensity as double)) or isinf(cast(propensity as double))) is true
),
source as (
    -- the columns that are read, under the names that all steps use
    select
        given_rows.label,
        given_rows.score,
        given_rows.group_id,
        all_propensities.propensity
    from (
        select
            cast(clicked as double) as label,
            cast(pctr as double) as score,
            user_id as group_id,
            position as position
        from impressions
    ) as given_rows
    left join all_propensities
        on all_propensities.position = given_rows.position
),
observations as (
    -- the rows that count
    select
        label,
        score,
        group_id,
        propensity
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
        and group_id is not null
        and (isfinite(propensity) or isinf(propensity)) is true
),
ranked_items as (
    -- one per item of a group
    select
        group_id,
        label,
        cast(case when label >= 1 then 1 else 0 end as double) as relevant,
        row_number() over (partition by group_id order by score desc, label asc, propensity desc) as item_rank,
        propensity
    from observations
),
group_values as (
    -- one per group, from its items in their order
    select
        group_id,
        case when sum((power(2, label) - 1)) > 0 then coalesce(sum(case when item_rank is not null then (power(2, label) - 1) / propensity * ln(2) / ln(item_rank + 1) end), 0) end as unbiased_dcg,
        count(*) as row_count
    from ranked_items
    group by
        group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- Σ gain(relᵢ) / propensityᵢ · discount(i) over the first k items of the new order, then the mean over groups
    avg(coalesce(unbiased_dcg, 0)) as unbiased_dcg
from group_values
