-- multi_auc of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        clicked as label_class,
        cast(p_cat as double) as class_score_1_1,
        cast(p_dog as double) as class_score_1_2
    from impressions
),
valid_rows as (
    -- the rows that count
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
class_rows as materialized (
    -- one per class, distinct score of it and own class of the rows
    select
        class,
        own_class,
        class_score,
        sum(weight) as weight,
        count(*) as row_count
    from (
        select
            class,
            case label_class when 'cat' then 1 when 'dog' then 2 end as own_class,
            case class when 1 then class_score_1_1 when 2 then class_score_1_2 end as class_score,
            weight
        from valid_rows
        cross join (
            select 1 as class
            union all
            select 2 as class
        ) as classes
    ) as scores_of_rows
    group by
        class,
        own_class,
        class_score
),
class_positives as (
    -- the weight of the class itself at each score
    select
        class,
        class_score,
        sum(case when own_class = class then weight else 0 end) as pos,
        sum(row_count) as row_count
    from class_rows
    group by
        class,
        class_score
),
class_thresholds as (
    -- one per class and distinct score of it
    select
        class,
        class_score,
        pos,
        row_count,
        coalesce(
            sum(pos) over (
                partition by class
                order by class_score desc rows between unbounded preceding and 1 preceding
            ),
            0
        ) as positives_above,
        sum(pos) over (partition by class) as positives
    from class_positives
),
class_areas as (
    -- one per class that has a score, and other class
    select
        scored.class as class,
        scored.own_class as other_class,
        max(ranked.positives) as positives,
        sum(scored.weight) as weight_of_other,
        sum(scored.weight * ((ranked.positives_above + ranked.pos / 2) / nullif(ranked.positives, 0))) as beaten,
        sum(case when scored.class = case when scored.own_class = 1 then 2 else 1 end then scored.row_count else 0 end) as row_count
    from class_rows as scored
    inner join class_thresholds as ranked
        on scored.class = ranked.class
        and scored.class_score = ranked.class_score
    where scored.own_class <> scored.class
    group by
        scored.class,
        scored.own_class
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- mean over the classes of the AUC of each against the rest (ovr), or over the pairs of classes of both AUCs of one against the other (ovo)
    case
        when count(*) = 2 and min(positives) > 0 and min(weight_of_other) > 0
            then (1 * (sum(case when class = 1 then beaten end) / nullif(sum(case when class = 1 then weight_of_other end), 0))
            + 1 * (sum(case when class = 2 then beaten end) / nullif(sum(case when class = 2 then weight_of_other end), 0)))
            / (1 + 1)
    end as multi_auc
from class_areas
