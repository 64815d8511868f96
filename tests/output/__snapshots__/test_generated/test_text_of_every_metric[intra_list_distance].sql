-- intra_list_distance of impressions
with
sqlmetrics_all_components as not materialized (
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
    -- input columns under canonical names
    select
        cast(pctr as double) as score,
        user_id as group_id,
        item as item_id,
        item as tie_key
    from impressions
),
valid_rows as (
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
lists_with_vectors as (
    -- one per item of a list
    select
        group_id,
        item_id,
        1 as row_count
    from valid_rows
),
dimensions as (
    -- one per dimension, with its block and its column there
    select
        dimension,
        block,
        cast(dimension_index - 8 * block as integer) as block_column
    from (
        select
            dimension,
            cast(row_number() over (order by dimension asc) - 1 as double) as dimension_index,
            cast(floor(cast(row_number() over (order by dimension asc) - 1 as double) / 8) as integer) as block
        from (select distinct dimension from sqlmetrics_all_components) as distinct_dimensions
    ) as numbered_dimensions
),
largest_components as (
    -- one per item
    select
        item_id,
        max(abs(component)) as largest
    from sqlmetrics_all_components
    group by item_id
),
scaled_components as (
    -- components, divided by the largest component of the item
    select
        components.item_id as item_id,
        dimensions.block as block,
        dimensions.block_column as block_column,
        case when abs(component) > 1e-150 * greatest(largest, 1e-150) then component / nullif(largest, 0) else 0 end as scaled
    from sqlmetrics_all_components as components
    inner join largest_components as largest_components on components.item_id = largest_components.item_id
    inner join dimensions as dimensions on components.dimension = dimensions.dimension
),
blocks_of_vectors as (
    -- one per item and block, with the length of the whole vector
    select
        item_id,
        block,
        coalesce(sum(case when block_column = 0 then scaled end), 0) as scaled_0,
        coalesce(sum(case when block_column = 1 then scaled end), 0) as scaled_1,
        coalesce(sum(case when block_column = 2 then scaled end), 0) as scaled_2,
        coalesce(sum(case when block_column = 3 then scaled end), 0) as scaled_3,
        coalesce(sum(case when block_column = 4 then scaled end), 0) as scaled_4,
        coalesce(sum(case when block_column = 5 then scaled end), 0) as scaled_5,
        coalesce(sum(case when block_column = 6 then scaled end), 0) as scaled_6,
        coalesce(sum(case when block_column = 7 then scaled end), 0) as scaled_7,
        sqrt(sum(sum(scaled * scaled)) over (partition by item_id)) as vector_length,
        min(block) over (partition by item_id) as first_block
    from scaled_components
    group by item_id, block
),
unit_vectors as (
    -- blocks of vectors, scaled to length 1
    select
        item_id,
        block,
        scaled_0 / nullif(vector_length, 0) as component_0,
        scaled_1 / nullif(vector_length, 0) as component_1,
        scaled_2 / nullif(vector_length, 0) as component_2,
        scaled_3 / nullif(vector_length, 0) as component_3,
        scaled_4 / nullif(vector_length, 0) as component_4,
        scaled_5 / nullif(vector_length, 0) as component_5,
        scaled_6 / nullif(vector_length, 0) as component_6,
        scaled_7 / nullif(vector_length, 0) as component_7,
        case when block = first_block then 1 else 0 end as is_first_block
    from blocks_of_vectors
    where vector_length > 0
),
sums_of_vectors as (
    -- one per list and block, the vectors of its items added up
    select
        lists_of_groups.group_id as group_id,
        sum(component_0) as sum_0,
        sum(component_1) as sum_1,
        sum(component_2) as sum_2,
        sum(component_3) as sum_3,
        sum(component_4) as sum_4,
        sum(component_5) as sum_5,
        sum(component_6) as sum_6,
        sum(component_7) as sum_7,
        sum(is_first_block) as vectors,
        sum(coalesce(is_first_block, 1)) as row_count
    from lists_with_vectors as lists_of_groups
    left join unit_vectors as unit_vectors on lists_of_groups.item_id = unit_vectors.item_id
    group by lists_of_groups.group_id, unit_vectors.block
),
squared_sums as (
    -- squared lengths of the summed vectors
    select
        group_id,
        sum_0 * sum_0
            + sum_1 * sum_1
            + sum_2 * sum_2
            + sum_3 * sum_3
            + sum_4 * sum_4
            + sum_5 * sum_5
            + sum_6 * sum_6
            + sum_7 * sum_7 as squared_sum,
        vectors,
        row_count
    from sums_of_vectors
),
listed_vectors as (
    -- one per list, from the vectors of its items
    select
        group_id,
        (cast(sum(vectors) as double) * cast(sum(vectors) as double) - sum(squared_sum))
            / nullif(cast(sum(vectors) as double) * (cast(sum(vectors) as double) - 1), 0) as intra_list_distance,
        sum(row_count) as row_count
    from squared_sums
    group by group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- mean of 1 − cosine similarity over the pairs of a list's vectors, then the mean over lists
    avg(intra_list_distance) as intra_list_distance
from listed_vectors
