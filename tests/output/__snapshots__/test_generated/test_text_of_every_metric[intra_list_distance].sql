-- intra_list_distance of impressions
with
sqlmetrics_all_components as materialized (
    -- one per item and dimension of its vector
    select
        item as item_id,
        dimension as dimension,
        cast("value" as double) as component
    from all_embeddings
    where item is not null
        and dimension is not null
        and (isfinite(cast("value" as double)) or isinf(cast("value" as double))) is true
),
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(pctr as double) as score,
        user_id as group_id,
        item as item_id,
        item as tie_key
    from impressions
),
valid_rows as (
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
lists_with_vectors as (
    -- one per item of a list
    select
        group_id,
        item_id,
        row_number() over (partition by group_id order by score desc, item_id desc nulls last) as item_rank,
        1 as row_count
    from valid_rows
),
unit_vectors as (
    -- the vectors of items at length 1
    select
        item_id,
        dimension,
        scaled / nullif(sqrt(sum(scaled * scaled) over (partition by item_id)), 0) as unit_component
    from (
        select
            item_id,
            dimension,
            case when abs(component) > 1e-150 * greatest(largest, 1e-150) then component / nullif(largest, 0) else 0 end as scaled
        from (
            select
                item_id,
                dimension,
                component,
                max(abs(component)) over (partition by item_id) as largest
            from sqlmetrics_all_components
        ) as components_with_largest
    ) as scaled_components
),
dimensions_of_lists as (
    -- one per list and dimension
    select
        lists_of_groups.group_id as group_id,
        coalesce(sum(case when item_rank is not null then unit_component end), 0) as unit_sum,
        coalesce(sum(case when item_rank is not null then unit_component * unit_component end), 0) as unit_squares,
        max(item_rank) as last_rank
    from lists_with_vectors as lists_of_groups
    left join unit_vectors as unit_vectors
        on lists_of_groups.item_id = unit_vectors.item_id
    group by
        lists_of_groups.group_id,
        unit_vectors.dimension
),
listed_vectors as (
    -- one per list, from the vectors of its items
    select
        group_id,
        (floor(sum(unit_squares) + 0.5) * floor(sum(unit_squares) + 0.5) - sum(unit_sum * unit_sum))
            / nullif(floor(sum(unit_squares) + 0.5) * (floor(sum(unit_squares) + 0.5) - 1), 0) as intra_list_distance,
        max(last_rank) as row_count
    from dimensions_of_lists
    group by
        group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- mean of 1 − cosine similarity over the pairs of a list's vectors, then the mean over lists
    avg(intra_list_distance) as intra_list_distance
from listed_vectors
