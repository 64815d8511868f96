-- alpha_dcg of impressions
with
source as (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        user_id as group_id,
        item as item_id,
        subtopic as subtopic_id,
        item as tie_key
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        label,
        score,
        group_id,
        item_id,
        subtopic_id,
        tie_key
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
        and group_id is not null
        and item_id is not null
),
ranked_subtopic_items as (
    -- one per item and subtopic, with the rank of the item
    select
        group_id,
        subtopic_id,
        label,
        cast(case when subtopic_id is not null and label >= 1 then 1 else 0 end as double) as relevant,
        dense_rank() over (partition by group_id order by score desc, item_id desc nulls last) as item_rank,
        row_number() over (partition by group_id order by score desc, item_id desc nulls last) as rows_cumulative,
        coalesce(lead(1) over (partition by group_id order by score desc, item_id desc nulls last), 0) as is_followed
    from valid_rows
),
subtopic_items as (
    -- relevant items, and the last item of each group
    select
        *,
        cast(row_number() over (partition by group_id, subtopic_id order by relevant desc, item_rank asc) - 1 as double) as relevant_above
    from ranked_subtopic_items
    where relevant = 1
        or is_followed = 0
),
subtopic_values as (
    -- one per subtopic of a group
    select
        group_id,
        subtopic_id,
        case
            when sum(relevant) > 0
                then sum(case
                    when item_rank is not null and coalesce(relevant_above * ln(nullif((1e0 - cast(0.5 as double)), 0)), 0) > -700
                        then relevant * power((1e0 - cast(0.5 as double)), relevant_above) * ln(2) / ln(item_rank + 1)
                    else 0
                end)
        end as alpha_dcg,
        max(rows_cumulative) as row_count
    from subtopic_items
    group by group_id, subtopic_id
),
subtopic_group_values as (
    -- one per group, from its subtopics, each of which reads the list of all items
    select
        group_id,
        sum(subtopics.alpha_dcg) as alpha_dcg,
        max(subtopics.row_count) as row_count
    from subtopic_values as subtopics
    group by group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- Σ over the first k items i of discount(i) · Σ over the subtopics for which it is relevant of (1 − alpha)^c, c the relevant items above for the same
    -- subtopic, then the mean over groups
    avg(alpha_dcg) as alpha_dcg
from subtopic_group_values
