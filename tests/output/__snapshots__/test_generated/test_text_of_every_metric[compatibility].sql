-- compatibility of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        user_id as group_id
    from impressions
),
valid_rows as (
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
    from valid_rows
),
places as materialized (
    -- one per item, with its places by score and by label
    select
        group_id,
        first_rank,
        case
            when label >= 1
                then row_number() over (
                        partition by group_id
                        order by case when label >= 1 then 1 else 0 end desc, label desc, first_rank asc nulls last
                    )
        end as second_rank
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
            1 as first_items, 0 as second_items, 0 as shared_items
        from places
        where first_rank is not null
        union all
        select
            group_id,
            second_rank as depth,
            0 as first_items, 1 as second_items, 0 as shared_items
        from places
        where second_rank is not null
        union all
        select
            group_id,
            greatest(first_rank, second_rank) as depth,
            0 as first_items, 0 as second_items, 1 as shared_items
        from places
        where first_rank is not null and second_rank is not null
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
        case
            when max(second_length) > 0
                then sum(overlap / place * case
                    when coalesce(
                        (place - 1)
                        * ln(nullif(cast(0.95 as double), 0)),
                        0
                    ) > -700
                        then power(cast(0.95 as double), place - 1)
                    else 0
                end)
                    / sum(least(place, cast(second_length as double)) / place * case
                    when coalesce(
                        (place - 1)
                        * ln(nullif(cast(0.95 as double), 0)),
                        0
                    ) > -700
                        then power(cast(0.95 as double), place - 1)
                    else 0
                end)
        end as compatibility,
        max(first_length) as row_count
    from cumulated_depths
    group by
        group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- Σ p^(d − 1)·X(d) / d over Σ p^(d − 1)·min(d, R) / d, X(d) the items among the first d of the list and of the ideal one, which has the R relevant
    -- items, then the mean over groups
    avg(compatibility) as compatibility
from list_overlaps
