-- weighted_kappa of impressions
with
source as (
    -- input columns under canonical names
    select
        clicked as label_class,
        predicted as predicted_class
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        cast(1 as double) as weight,
        label_class,
        predicted_class
    from source
    where label_class is not null
        and predicted_class is not null
),
class_pairs as materialized (
    -- one per pair of true and predicted class
    select
        label_class,
        predicted_class,
        sum(weight) as weight,
        count(*) as row_count
    from valid_rows
    group by label_class, predicted_class
),
class_weights as (
    -- one per class, of the labels and of the calls
    select
        class,
        sum(tp) as tp,
        sum(fp) as fp,
        sum(fn) as fn,
        sum(row_count) as row_count
    from (
        select
            label_class as class,
            case when label_class = predicted_class then weight else 0 end as tp,
            cast(0 as double) as fp,
            case when label_class = predicted_class then 0 else weight end as fn,
            row_count
        from class_pairs
        union all
        select
            predicted_class as class,
            cast(0 as double) as tp,
            weight as fp,
            cast(0 as double) as fn,
            0 as row_count
        from class_pairs
        where label_class <> predicted_class
    ) as classes
    group by class
),
class_ranks as materialized (
    -- one per class, with its class_rank among them
    select
        class,
        tp + fn as label_weight,
        tp + fp as predicted_weight,
        sum(case when tp + fn + fp > 0 then 1 else 0 end) over (order by class asc nulls last rows unbounded preceding) as class_rank,
        coalesce(sum(tp + fn) over (order by class asc nulls last rows between unbounded preceding and 1 preceding), 0) as label_below,
        coalesce(sum(tp + fp) over (order by class asc nulls last rows between unbounded preceding and 1 preceding), 0) as predicted_below,
        sum(tp + fn) over () as weight_of_all,
        row_count
    from class_weights
),
ordered_classes as (
    -- one per class, in their order
    select
        classes.class as class,
        classes.class_rank as class_rank,
        classes.class_rank
            - sum(classes.class_rank * (classes.label_weight / nullif(classes.weight_of_all, 0))) over ()
            as rank_from_mean,
        classes.label_weight as label_weight,
        classes.predicted_weight as predicted_weight,
        classes.label_below as label_below,
        classes.predicted_below as predicted_below,
        coalesce(distances.distance, 0) as distance,
        coalesce(distances.squared_distance, 0) as squared_distance,
        classes.weight_of_all as weight_of_all,
        classes.row_count as row_count
    from class_ranks as classes
    left join (
        select
            pairs.label_class as class,
            sum(pairs.weight * abs(cast(labels.class_rank - calls.class_rank as double))) as distance,
            sum(
                pairs.weight * cast(labels.class_rank - calls.class_rank as double)
                * cast(labels.class_rank - calls.class_rank as double)
            ) as squared_distance
        from class_pairs as pairs
        inner join class_ranks as labels on pairs.label_class = labels.class
        inner join class_ranks as calls on pairs.predicted_class = calls.class
        group by pairs.label_class
    ) as distances on classes.class = distances.class
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- 1 − Σ dᵢⱼ·oᵢⱼ / Σ dᵢⱼ·eᵢⱼ, oᵢⱼ the share of rows of class i called j, eᵢⱼ that of chance by the margins, dᵢⱼ = |i − j| or (i − j)² between the
    -- places of the classes in their order
    case
        when sum(case when class_rank > 1 then 1 else 0 end) > 0
            then 1 - sum((squared_distance / nullif(weight_of_all, 0)))
                / nullif((sum(((label_weight / nullif(weight_of_all, 0)) + (predicted_weight / nullif(weight_of_all, 0)))
                        * rank_from_mean * rank_from_mean)
                    - 2 * sum((label_weight / nullif(weight_of_all, 0)) * rank_from_mean)
                        * sum((predicted_weight / nullif(weight_of_all, 0)) * rank_from_mean)), 0)
    end as weighted_kappa
from ordered_classes
