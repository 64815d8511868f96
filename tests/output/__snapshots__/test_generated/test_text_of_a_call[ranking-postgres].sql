-- ndcg_at_10, map, mrr, precision_at_10, recall_at_10 of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        case
            when pg_typeof(clicked) = 'real'::regtype then cast(cast(cast(clicked as text) as real) as double precision)
            else cast(case cast(clicked as text) when 'true' then '1' when 'false' then '0' else cast(clicked as text) end as double precision)
        end as label,
        cast(pctr as double precision) as score,
        query_id as group_id
    from impressions
),
valid_rows as (
    -- the rows that count
    select
        label,
        score,
        group_id
    from source
    where label is not null
        and label <> cast('NaN' as double precision)
        and score is not null
        and score <> cast('NaN' as double precision)
        and group_id is not null
),
ranked_items as (
    -- one per item of a group
    select
        group_id,
        label,
        cast(case when label >= 1 then 1 else 0 end as double precision) as relevant,
        row_number() over (partition by group_id order by score desc, label asc) as item_rank,
        coalesce(lead(1) over (partition by group_id order by score desc, label asc), 0) as is_followed
    from valid_rows
),
gaining_items as (
    -- the items that gain, and of each group one at least
    select
        *,
        cast(
            sum(relevant)
            over (partition by group_id order by item_rank asc rows unbounded preceding) as double precision) as hits,
        row_number() over (partition by group_id order by label desc) as ideal_rank
    from ranked_items
    where label > 0
        or is_followed = 0
),
group_values as (
    -- one per group, from its items in their order
    select
        group_id,
        sum(case when item_rank <= 10 then (power(2, label) - 1) * ln(2) / ln(item_rank + 1) else 0 end)
            / nullif(sum(case when ideal_rank <= 10 then (power(2, label) - 1) * ln(2) / ln(ideal_rank + 1) else 0 end), 0) as ndcg_at_10,
        sum(case when item_rank is not null then relevant * hits / item_rank else 0 end) / nullif(sum(relevant), 0) as "map",
        case
            when sum(relevant) > 0
                then max(case when relevant = 1 and item_rank is not null then cast(1 as double precision) / item_rank else 0 end)
        end as mrr,
        case when sum(relevant) > 0 then sum(case when item_rank <= 10 then relevant else 0 end) / 10 end as precision_at_10,
        sum(case when item_rank <= 10 then relevant else 0 end) / nullif(sum(relevant), 0) as recall_at_10,
        max(item_rank) as row_count
    from gaining_items
    group by
        group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- DCG / IDCG per group, IDCG that of the best order, then the mean over groups
    avg(ndcg_at_10) as ndcg_at_10,
    -- mean over groups of Σ precision at the place of each relevant item / the denominator
    avg("map") as "map",
    -- mean over groups of 1 / the place of the first relevant item, 0 beyond k
    avg(mrr) as mrr,
    -- relevant items among the first k / k, then the mean over groups
    avg(precision_at_10) as precision_at_10,
    -- relevant items among the first k / all relevant items, then the mean over groups
    avg(recall_at_10) as recall_at_10
from group_values
