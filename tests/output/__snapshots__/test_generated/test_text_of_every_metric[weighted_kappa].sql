-- weighted_kappa of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        clicked as label_class,
        predicted as predicted_class
    from impressions
),
observations as (
    -- the rows that count
    select
        cast(1 as double) as weight,
        label_class,
        predicted_class
    from source
    where label_class is not null
        and predicted_class is not null
),
ordered_class_pairs as materialized (
    -- one per pair of true and predicted class
    select
        label_class,
        predicted_class,
        sum(weight) as weight,
        count(*) as row_count
    from observations
    group by
        label_class,
        predicted_class
),
class_places as materialized (
    -- one per class, with its place among them
    select
        class,
        label_weight,
        predicted_weight,
        sum(case when label_weight + predicted_weight > 0 then 1 else 0 end) over (order by class asc nulls last rows unbounded preceding) as place,
        coalesce(sum(label_weight) over (order by class asc nulls last rows between unbounded preceding and 1 preceding), 0) as label_below,
        coalesce(sum(predicted_weight) over (order by class asc nulls last rows between unbounded preceding and 1 preceding), 0) as predicted_below,
        row_count
    from (
        select
            class,
            sum(label_weight) as label_weight,
            sum(predicted_weight) as predicted_weight,
            sum(row_count) as row_count
        from (
            select
                label_class as class,
                weight as label_weight,
                cast(0 as double) as predicted_weight,
                row_count
            from ordered_class_pairs
            union all
            select
                predicted_class as class,
                cast(0 as double) as label_weight,
                weight as predicted_weight,
                0 as row_count
            from ordered_class_pairs
        ) as classes_of_pairs
        group by
            class
    ) as classes
),
ordered_classes as (
    -- one per class, in their order
    select
        classes.class as class,
        classes.place as place,
        classes.place - totals.mean_place as place_from_mean,
        classes.label_weight as label_weight,
        classes.predicted_weight as predicted_weight,
        classes.label_below as label_below,
        classes.predicted_below as predicted_below,
        coalesce(distances.distance, 0) as distance,
        coalesce(distances.squared_distance, 0) as squared_distance,
        totals.weight_of_all as weight_of_all,
        classes.row_count as row_count
    from class_places as classes
    left join (
        select
            pairs.label_class as class,
            sum(pairs.weight * abs(cast(labels.place - calls.place as double))) as distance,
            sum(pairs.weight * cast(labels.place - calls.place as double) * cast(labels.place - calls.place as double)) as squared_distance
        from ordered_class_pairs as pairs
        inner join class_places as labels
            on pairs.label_class = labels.class
        inner join class_places as calls
            on pairs.predicted_class = calls.class
        group by
            pairs.label_class
    ) as distances
        on classes.class = distances.class
    cross join (
        select
            sum(label_weight) as weight_of_all,
            sum(place * (label_weight / nullif(total_weight, 0))) as mean_place
        from (
            select
                place,
                label_weight,
                sum(label_weight) over () as total_weight
            from class_places
        ) as weighted_places
    ) as totals
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- 1 − Σ dᵢⱼ·oᵢⱼ / Σ dᵢⱼ·eᵢⱼ, oᵢⱼ the share of rows of class i called j, eᵢⱼ that of chance by the margins, dᵢⱼ = |i − j| or (i − j)² between the places of the classes in their order
    case when sum(case when place > 1 then 1 else 0 end) > 0 then 1 - sum((squared_distance / nullif(weight_of_all, 0))) / nullif((sum(((label_weight / nullif(weight_of_all, 0)) + (predicted_weight / nullif(weight_of_all, 0))) * place_from_mean * place_from_mean) - 2 * sum((label_weight / nullif(weight_of_all, 0)) * place_from_mean) * sum((predicted_weight / nullif(weight_of_all, 0)) * place_from_mean)), 0) end as weighted_kappa
from ordered_classes
