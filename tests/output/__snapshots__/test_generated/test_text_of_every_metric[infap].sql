-- infap of impressions
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
        cast(sum(case when label < 1 then 1 else 0 end) over (partition by group_id) as double) as nonrelevant_total,
        cast(sum(case when label < 1 then 1 else 0 end) over (partition by group_id order by score desc, label asc rows unbounded preceding) as double) as nonrelevant_above,
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
        nonrelevant_total,
        nonrelevant_above,
        cast(sum(relevant) over (partition by group_id order by item_rank asc rows unbounded preceding) as double) as hits
    from ranked_items
    where label > 0
        or is_followed = 0
),
group_values as (
    -- one per group, from its items in their order
    select
        group_id,
        sum(case when relevant = 1 and item_rank is not null then (1 + (hits - 1 + nonrelevant_above) * (hits - 1 + 0.00001) / (hits - 1 + nonrelevant_above + 0.00002)) / item_rank else 0 end) / nullif(sum(relevant), 0) as infap,
        max(item_rank) as row_count
    from gaining_items
    group by
        group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- 1/R · Σ over relevant returned items of (1 + n·(r + ε) / (r + s + 2ε)) / i, above place i n pooled, r relevant and s judged non-relevant items
    avg(infap) as infap
from group_values
