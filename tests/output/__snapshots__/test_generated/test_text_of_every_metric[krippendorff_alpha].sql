-- krippendorff_alpha of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        user_id as group_id
    from impressions
),
observations as (
    -- the rows that count
    select
        label,
        group_id
    from source
    where (isfinite(label) or isinf(label)) is true
        and group_id is not null
),
item_ratings as (
    -- one per item and distinct rating of it
    select
        group_id,
        label as rating,
        count(*) as row_count
    from observations
    group by
        group_id,
        label
),
counted_ratings as materialized (
    -- the same, beside the ratings of the item
    select
        group_id,
        rating,
        cast(row_count as double) as ratings,
        cast(sum(row_count) over (partition by group_id) as double) as ratings_of_item,
        row_number() over (partition by group_id order by rating asc) as place_in_item,
        row_count
    from item_ratings
),
rating_counts as materialized (
    -- one per distinct rating
    select
        rating,
        sum(ratings) as ratings_of_value,
        sum(row_count) as row_count
    from counted_ratings
    where ratings_of_item > 1
    group by
        rating
),
rating_totals as (
    -- the ratings of all
    select
        sum(ratings_of_value) as ratings_of_all
    from rating_counts
),
valued_ratings as (
    -- the same, beside how often the rating was given
    select
        counted.group_id as group_id,
        counted.rating as rating,
        case when counted.ratings_of_item > 1 then counted.ratings else 0 end as ratings,
        counted.ratings_of_item as ratings_of_item,
        case when counted.ratings_of_item > 1 and counted.place_in_item = 1 then 1 else 0 end as items,
        counted.row_count as row_count,
        found.ratings_of_value as ratings_of_value,
        totals.ratings_of_all as ratings_of_all
    from counted_ratings as counted
    left join rating_counts as found
        on counted.rating = found.rating
    left join rating_totals as totals
        on 1 = 1
),
rated_items as (
    -- one per item and distinct rating of it
    select
        group_id,
        rating,
        ratings,
        ratings_of_item,
        items,
        ratings_of_value,
        ratings_of_all,
        ratings_of_item - ratings as apart_in_item,
        ratings_of_all - ratings_of_value as apart_in_all,
        row_count
    from valued_ratings
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- 1 − Dₒ / Dₑ, Dₒ the mean distance of two ratings of one item (each item by its ratings), Dₑ that of any two ratings
    case when min(case when ratings > 0 then rating end) < max(case when ratings > 0 then rating end) then 1 - (max(ratings_of_all) - 1) * sum(ratings * (apart_in_item / nullif(ratings_of_item - 1, 0))) / nullif(sum(ratings * apart_in_all), 0) end as krippendorff_alpha
from rated_items
