-- fleiss_kappa of impressions
with
source as (
    -- input columns under canonical names
    select
        clicked as label_class,
        user_id as group_id
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        label_class,
        group_id
    from source
    where label_class is not null
        and group_id is not null
),
item_ratings as (
    -- one per item and distinct rating of it
    select
        group_id,
        label_class as rating,
        count(*) as row_count
    from valid_rows
    group by group_id, label_class
),
counted_ratings as materialized (
    -- ratings, with the number of ratings of the item
    select
        *,
        cast(row_count as double) as ratings,
        cast(sum(row_count) over (partition by group_id) as double) as ratings_of_item,
        row_number() over (partition by group_id order by rating asc) as rating_rank
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
    group by rating
),
valued_ratings as (
    -- ratings, with the count of the same rating over all items
    select
        counted.group_id as group_id,
        counted.rating as rating,
        case when counted.ratings_of_item > 1 then counted.ratings else 0 end as ratings,
        counted.ratings_of_item as ratings_of_item,
        case when counted.ratings_of_item > 1 and counted.rating_rank = 1 then 1 else 0 end as items,
        counted.row_count as row_count,
        value_counts.ratings_of_value as ratings_of_value,
        value_counts.ratings_of_all as ratings_of_all
    from counted_ratings as counted
    left join (
        select
            *,
            sum(ratings_of_value) over () as ratings_of_all
        from rating_counts
    ) as value_counts on counted.rating = value_counts.rating
),
rated_items as (
    -- one per item and distinct rating of it
    select
        *,
        ratings_of_item - ratings as apart_in_item,
        ratings_of_all - ratings_of_value as apart_total
    from valued_ratings
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- (P̄ − Pₑ) / (1 − Pₑ), P̄ the mean over items of the share of pairs of ratings that agree, Pₑ the sum of the squared shares of the classes among all
    -- ratings
    case
        when min(case when ratings > 0 then ratings_of_value end) < max(ratings_of_all)
            then (
                sum(ratings * (ratings - 1) / nullif(ratings_of_item * (ratings_of_item - 1), 0)) / nullif(sum(items), 0)
                - sum(ratings / nullif(ratings_of_all, 0) * (ratings_of_value / nullif(ratings_of_all, 0)))
            ) / nullif(1 - sum(ratings / nullif(ratings_of_all, 0) * (ratings_of_value / nullif(ratings_of_all, 0))), 0)
    end as fleiss_kappa
from rated_items
