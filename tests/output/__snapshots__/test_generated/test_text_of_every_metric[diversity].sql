-- diversity of impressions
with
sqlmetrics_all_similarities as materialized (
    -- one per pair and direction
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
    group by item_a, item_b
),
source as not materialized (
    -- input columns under canonical names
    select
        cast(pctr as double) as score,
        user_id as group_id,
        item as item_id,
        item as tie_key
    from impressions
),
valid_rows as not materialized (
    -- rows without missing values
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
lists as not materialized (
    -- one per item of a list
    select
        group_id,
        item_id,
        1 as row_count
    from valid_rows
),
items_with_similarity as materialized (
    -- items of lists that have a similarity
    select
        group_id,
        item_id
    from lists
    where item_id in (select item_a from sqlmetrics_all_similarities)
),
pairs_of_lists as (
    -- one per item of a list, and per pair that may have a similarity
    select
        group_id,
        1 as items,
        cast(0 as double) as similarity
    from lists
    union all
    select
        upper_items.group_id as group_id,
        0 as items,
        coalesce(sqlmetrics_all_similarities.similarity, 0) as similarity
    from items_with_similarity as upper_items
    inner join items_with_similarity as lower_items
        on upper_items.group_id = lower_items.group_id
        and upper_items.item_id < lower_items.item_id
    left join sqlmetrics_all_similarities
        on upper_items.item_id = sqlmetrics_all_similarities.item_a
        and lower_items.item_id = sqlmetrics_all_similarities.item_b
),
listed_pairs as (
    -- one per list, from its items and the pairs of them
    select
        group_id,
        1 - 2 * sum(similarity)
            / nullif(cast(sum(items) as double)
                * (cast(sum(items) as double) - 1), 0) as diversity,
        sum(items) as row_count
    from pairs_of_lists
    group by group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- 1 − mean similarity of the pairs of a list, averaged over lists, a missing pair counts 0
    avg(diversity) as diversity
from listed_pairs
