-- gm_map of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        user_id as group_id
    from impressions
),
observations as (
    -- the rows that count
    select
        label,
        score,
        group_id
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
        and group_id is not null
),
ranked_items as (
    -- one per item of a group
    select
        group_id,
        label,
        cast(case when label >= 1 then 1 else 0 end as double) as relevant,
        row_number() over (partition by group_id order by score desc, label asc) as item_rank,
        coalesce(lead(1) over (partition by group_id order by score desc, label asc), 0) as is_followed
    from observations
),
gaining_items as (
    -- the items that gain, and of each group one at least
    select
        group_id,
        label,
        relevant,
        item_rank,
        cast(sum(relevant) over (partition by group_id order by item_rank asc rows unbounded preceding) as double) as hits
    from ranked_items
    where label > 0
        or is_followed = 0
),
group_values as (
    -- one per group, from its items in their order
    select
        group_id,
        coalesce(sum(case when item_rank is not null then relevant * hits / item_rank end), 0) / nullif(sum(relevant), 0) as gm_map,
        max(item_rank) as row_count
    from gaining_items
    group by
        group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- exp of the mean over groups of ln max(average precision, least)
    exp(avg(case when gm_map is not null then ln(greatest(gm_map, 1e-05)) end)) as gm_map
from group_values
