-- ndcg of impressions
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
        row_number() over (partition by group_id order by label desc) as ideal_rank
    from ranked_items
    where label > 0
        or is_followed = 0
),
group_values as (
    -- one per group, from its items in their order
    select
        group_id,
        coalesce(sum(case when item_rank is not null then (power(2, label) - 1) * ln(2) / ln(item_rank + 1) end), 0)
            / nullif(coalesce(sum(case when ideal_rank is not null then (power(2, label) - 1) * ln(2) / ln(ideal_rank + 1) end), 0), 0) as ndcg,
        max(item_rank) as row_count
    from gaining_items
    group by
        group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- DCG / IDCG per group, IDCG that of the best order, then the mean over groups
    avg(ndcg) as ndcg
from group_values
