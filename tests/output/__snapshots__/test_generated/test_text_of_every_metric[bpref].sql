-- bpref of impressions
with
source as (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        user_id as group_id
    from impressions
),
valid_rows as (
    -- rows without missing values
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
        cast(sum(case when label >= 1 then 1 else 0 end) over (partition by group_id) as double) as relevant_total,
        cast(sum(case when label < 1 then 1 else 0 end) over (partition by group_id) as double) as nonrelevant_total,
        cast(
            sum(case when label < 1 then 1 else 0 end)
            over (partition by group_id order by score desc, label asc rows unbounded preceding) as double) as nonrelevant_above
    from valid_rows
),
group_values as (
    -- one per group, from its items in their order
    select
        group_id,
        sum(case
                when relevant = 1 and item_rank is not null
                    then 1 - coalesce(least(nonrelevant_above, relevant_total) / nullif(least(relevant_total, nonrelevant_total), 0), 0)
                else 0
            end)
            / nullif(sum(relevant), 0) as bpref,
        count(*) as row_count
    from ranked_items
    group by group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- 1/R · Σ over relevant returned items of 1 − min(n, R) / min(R, N), n the judged non-relevant above it, N all of them
    avg(bpref) as bpref
from group_values
