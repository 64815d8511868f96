-- diversity of impressions
with
all_similarities as materialized (
    -- one per pair and direction, so that it is found whichever item comes first
    select
        item_a,
        item_b,
        max(cast(similarity as double)) as similarity
    from (
        select
            item_a,
            item_b,
            similarity
        from all_similarity
        union all
        select
            item_b,
            item_a,
            similarity
        from all_similarity
    ) as both_directions
    where item_a is not null
        and item_b is not null
        and (isfinite(cast(similarity as double)) or isinf(cast(similarity as double))) is true
    group by
        item_a,
        item_b
),
source as not materialized (
    -- the columns that are read, under the names that all steps use
    select
        cast(pctr as double) as score,
        user_id as group_id,
        item as item_id,
        item as tie_key
    from impressions
),
observations as not materialized (
    -- the rows that count
    select
        score,
        group_id,
        item_id,
        tie_key
    from source
    where (isfinite(score) or isinf(score)) is true
        and group_id is not null
        and item_id is not null
),
listed_items as not materialized (
    -- one per item of a list
    select
        group_id,
        item_id,
        row_number() over (partition by group_id order by score desc, tie_key desc nulls last, item_id desc) as item_rank,
        1 as row_count
    from observations
),
listed_items_metrics as (
    -- one per slice
    select
        cast(coalesce(sum(row_count), 0) as bigint) as n
    from listed_items
),
diversity_metrics as (
    -- 1 − mean similarity of the pairs of a list, averaged over lists, a missing pair counts 0
    select
        avg(diversity) as diversity
    from (
        select
            a.group_id as group_id,
            1 - sum(coalesce(pairs.similarity, 0)) / nullif(cast(count(*) as double), 0) as diversity
        from listed_items as a
        inner join listed_items as b
            on a.group_id = b.group_id
            and a.item_rank < b.item_rank
        left join all_similarities as pairs
            on a.item_id = pairs.item_a
            and b.item_id = pairs.item_b
        where b.item_rank is not null
        group by
            a.group_id
    ) as lists
)
select
    coalesce(listed_items_metrics.n, 0) as n,
    diversity_metrics.diversity
from listed_items_metrics
left join diversity_metrics
    on 1 = 1
