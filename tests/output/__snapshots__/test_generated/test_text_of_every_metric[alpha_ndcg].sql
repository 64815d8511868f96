-- alpha_ndcg_at_2 of impressions
with
source as not materialized (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        user_id as group_id,
        item as item_id,
        subtopic as subtopic_id,
        item as tie_key
    from impressions
),
observations as not materialized (
    -- the rows that count
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
ranked_subtopic_items as not materialized (
    -- one per item and subtopic, with the place of the item
    select
        group_id,
        subtopic_id,
        label,
        item_id,
        cast(case when subtopic_id is not null and label >= 1 then 1 else 0 end as double) as relevant,
        dense_rank() over (partition by group_id order by score desc, tie_key desc nulls last, item_id desc nulls last) as item_rank
    from observations
),
subtopic_items as (
    -- the same, with what comes before it
    select
        group_id,
        subtopic_id,
        label,
        relevant,
        item_rank,
        coalesce(sum(relevant) over (partition by group_id, subtopic_id order by item_rank asc rows between unbounded preceding and 1 preceding), 0) as relevant_above
    from ranked_subtopic_items
),
subtopic_values as (
    -- one per subtopic of a group
    select
        group_id,
        subtopic_id,
        case when sum(relevant) > 0 then sum(case when item_rank <= 2 then relevant * (case when relevant_above = 0 then 1 when (relevant_above) * ln(nullif((1 - cast(0.5 as double)), 0)) > -700 then power((1 - cast(0.5 as double)), relevant_above) else 0 end) * ln(2) / ln(item_rank + 1) else 0 end) end as alpha_ndcg_at_2,
        count(*) as row_count
    from subtopic_items
    group by
        group_id,
        subtopic_id
),
subtopics_of_groups as (
    -- one per group
    select
        group_id,
        sum(subtopics.alpha_ndcg_at_2) as alpha_ndcg_at_2,
        sum(subtopics.row_count) as row_count
    from subtopic_values as subtopics
    group by
        group_id
),
items_to_place as (
    -- one per relevant item and subtopic, none of them in its place
    select
        group_id,
        subtopic_id,
        item_id,
        0 as place,
        cast(1 as double) as subtopic_left
    from ranked_subtopic_items
    where relevant = 1
),
place_1 as materialized (
    -- the same, with the item of place 1
    select
        group_id,
        subtopic_id,
        item_id,
        place,
        case when place = 0 and max(case when place = 1 then 1 else 0 end) over (partition by group_id, subtopic_id) = 1 then subtopic_left * (cast(1 as double) - cast(0.5 as double)) else subtopic_left end as subtopic_left
    from (
        select
            group_id,
            subtopic_id,
            item_id,
            case when place = 0 and dense_rank() over (partition by group_id order by gain desc, item_id desc nulls last) = 1 then 1 else place end as place,
            subtopic_left
        from (
            select
                group_id,
                subtopic_id,
                item_id,
                place,
                subtopic_left,
                case when place = 0 then round(sum(subtopic_left) over (partition by group_id, item_id), 12) else cast(-1 as double) end as gain
            from items_to_place
        ) as gains_of_items
    ) as items_with_places
),
place_2 as materialized (
    -- the same, with the item of place 2
    select
        group_id,
        subtopic_id,
        item_id,
        place,
        case when place = 0 and max(case when place = 2 then 1 else 0 end) over (partition by group_id, subtopic_id) = 1 then subtopic_left * (cast(1 as double) - cast(0.5 as double)) else subtopic_left end as subtopic_left
    from (
        select
            group_id,
            subtopic_id,
            item_id,
            case when place = 0 and dense_rank() over (partition by group_id order by gain desc, item_id desc nulls last) = 1 then 2 else place end as place,
            subtopic_left
        from (
            select
                group_id,
                subtopic_id,
                item_id,
                place,
                subtopic_left,
                case when place = 0 then round(sum(subtopic_left) over (partition by group_id, item_id), 12) else cast(-1 as double) end as gain
            from place_1
        ) as gains_of_items
    ) as items_with_places
),
best_lists as (
    -- one per group, what the best list has
    select
        group_id,
        sum(case when place between 1 and 2 then subtopic_left * ln(2) / ln(place + 1) else 0 end) as alpha_ndcg_at_2
    from place_2
    group by
        group_id
),
subtopic_group_values as (
    -- one per group, from its subtopics, each of which reads the list of all items
    select
        subtopics_of_groups.group_id as group_id,
        subtopics_of_groups.alpha_ndcg_at_2 / nullif(best_lists.alpha_ndcg_at_2, 0) as alpha_ndcg_at_2,
        subtopics_of_groups.row_count as row_count
    from subtopics_of_groups
    left join best_lists as best_lists
        on subtopics_of_groups.group_id = best_lists.group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- α-DCG of the first k items / that of a list in which each item is the one that gains most after those above it, then the mean over groups
    avg(alpha_ndcg_at_2) as alpha_ndcg_at_2
from subtopic_group_values
