-- multi_auc of impressions
with
source as (
    -- input columns under canonical names
    select
        clicked as label_class,
        cast(p_cat as double) as class_score_1_1,
        cast(p_dog as double) as class_score_1_2
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        cast(1 as double) as weight,
        label_class,
        class_score_1_1,
        class_score_1_2
    from source
    where label_class is not null
        and (isfinite(class_score_1_1) or isinf(class_score_1_1)) is true
        and (isfinite(class_score_1_2) or isinf(class_score_1_2)) is true
),
class_areas_rows as (
    -- rows, with the number of their class among the classes with scores
    select
        class_score_1_1,
        class_score_1_2,
        cast(case label_class when 'cat' then 1 when 'dog' then 2 end as usmallint) as own_class
    from valid_rows
),
class_areas_paired as (
    -- one per row and pair of its class
    select
        pair_id,
        score,
        cast(case when own_class = first_class then 1 else 0 end as tinyint) as is_first
    from (
        select
            own_class,
            cast(pair_id as usmallint) as pair_id,
            case pair_id
                when 1 then 1
                when 2 then 2
            end as first_class,
            case pair_id
                when 1 then class_score_1_1
                when 2 then class_score_1_2
            end as score
        from class_areas_rows
        cross join (select 1 as pair_id union all select 2 as pair_id) as pairs
    ) as rows_in_pairs
    where own_class is not null
),
class_areas_ranked as (
    -- ranks by score in each pair
    select
        pair_id,
        cast(is_first as double) as pos,
        rank() over (partition by pair_id order by score desc) - 1 as rows_above,
        cume_dist() over (partition by pair_id order by score desc) as cumulative_share
    from class_areas_paired
),
class_areas as (
    -- one per class that has a score, against the rest (ovr), or per ordered pair of such classes (ovo)
    select
        pair_id,
        sum(pos) as weight_of_first,
        count(*) - sum(pos) as weight_of_second,
        1 - (sum(pos * rows_above) + round(count(*) * sum(pos * cumulative_share)) - sum(pos) * sum(pos))
            / nullif(2 * sum(pos) * (count(*) - sum(pos)), 0) as area,
        case pair_id when 1 then cast(count(*) as bigint) else 0 end as row_count
    from class_areas_ranked
    group by pair_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- mean over the classes of the AUC of each against the rest (ovr), or over the pairs of classes of both AUCs of one against the other (ovo)
    case
        when count(*) = 2 and min(weight_of_first) > 0 and min(weight_of_second) > 0
            then avg(area)
    end as multi_auc
from class_areas
