-- overlap_at_3 of impressions
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
first_places as (
    -- one per item, with its place by score
    select
        group_id,
        score,
        label,
        row_number() over (partition by group_id order by score desc, label asc) as first_rank
    from observations
),
places as materialized (
    -- one per item, with its places by score and by label
    select
        group_id,
        first_rank,
        row_number() over (partition by group_id order by label desc, score asc, first_rank asc) as second_rank
    from first_places
),
depths as (
    -- one per depth of the longer list
    select
        group_id,
        depth,
        sum(first_items) as first_items,
        sum(second_items) as second_items,
        sum(shared_items) as shared_items
    from (
        select
            group_id,
            first_rank as depth,
            1 as first_items,
            0 as second_items,
            0 as shared_items
        from places
        where first_rank is not null
        union all
        select
            group_id,
            second_rank as depth,
            0 as first_items,
            1 as second_items,
            0 as shared_items
        from places
        where second_rank is not null
        union all
        select
            group_id,
            greatest(first_rank, second_rank) as depth,
            0 as first_items,
            0 as second_items,
            1 as shared_items
        from places
        where first_rank is not null
            and second_rank is not null
    ) as places_of_lists
    group by
        group_id,
        depth
),
cumulated_depths as (
    -- the same, with the overlap down to there
    select
        group_id,
        cast(depth as double) as place,
        cast(sum(shared_items) over (partition by group_id order by depth asc rows unbounded preceding) as double) as overlap,
        sum(first_items) over (partition by group_id) as first_length,
        sum(second_items) over (partition by group_id) as second_length
    from depths
),
list_overlaps as (
    -- one per group, from the depths of its two lists
    select
        group_id,
        coalesce(max(case when place <= 3 then overlap end), 0) / (least(max(cast(greatest(first_length, second_length) as double)), 3) + least(max(cast(least(first_length, second_length) as double)), 3) - coalesce(max(case when place <= 3 then overlap end), 0)) as overlap_at_3,
        max(first_length) as row_count
    from cumulated_depths
    group by
        group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- items among the first k of both lists / items among the first k of one of them at least (Jaccard), then the mean over groups
    avg(overlap_at_3) as overlap_at_3
from list_overlaps
