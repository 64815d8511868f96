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
    -- one per item, with its places by score and by label, and how many have one
    select
        group_id,
        first_rank,
        case
            when label >= 1
                then row_number() over (
                        partition by group_id
                        order by case when label >= 1 then 1 else 0 end desc, label desc, first_rank asc nulls last
                    )
        end as second_rank,
        count(first_rank) over (
            partition by group_id
            order by case when label >= 1 then 1 else 0 end desc, label desc, first_rank asc nulls last rows between unbounded preceding and unbounded following
        ) as first_length,
        count(case when label >= 1 then 1 end) over (
            partition by group_id
            order by case when label >= 1 then 1 else 0 end desc, label desc, first_rank asc nulls last rows between unbounded preceding and unbounded following
        ) as second_length
    from first_places
),
depths as (
    -- one per depth of the longer list, with the overlap down to there
    select
        group_id,
        cast(depth as double) as place,
        cast(place_among_both - depth as double) as overlap,
        first_length,
        second_length
    from (
        select
            group_id,
            first_length,
            second_length,
            depth,
            is_depth,
            row_number() over (partition by group_id order by depth asc, is_depth asc) as place_among_both
        from (
            select
                group_id,
                first_length,
                second_length,
                first_rank as depth,
                1 as is_depth
            from places
            union all
            select
                group_id,
                first_length,
                second_length,
                greatest(first_rank, second_rank) as depth,
                0 as is_depth
            from places
            where first_rank is not null
                and second_rank is not null
        ) as places_of_both
    ) as depths_and_items
    where is_depth = 1
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
    from depths
    group by
        group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- Σ p^(d − 1)·X(d) / d over Σ p^(d − 1)·min(d, R) / d, X(d) the items among the first d of the list and of the ideal one, which has the R relevant
    -- items, then the mean over groups
    avg(compatibility) as compatibility
from list_overlaps
