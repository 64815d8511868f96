-- auc_mu of impressions
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
duel_rows as (
    -- one per pair of classes and distinct difference of their scores
    select
        duel,
        score_difference,
        sum(case when own_class = first_class then weight else 0 end) as first_weight,
        sum(case when own_class = first_class then 0 else weight end) as second_weight,
        sum(case when first_class = 1 and (own_class > 1 or duel = 1) then 1 else 0 end) as counted_rows,
        count(*) as row_count
    from (
        select
            duel,
            case label_class when 'cat' then 1 when 'dog' then 2 end as own_class,
            case duel when 1 then 1 end as first_class,
            case duel when 1 then 2 end as second_class,
            case duel
                when 1 then class_score_1_1 - class_score_1_2
            end as score_difference,
            weight
        from valid_rows
        cross join (
            select 1 as duel
        ) as duels
    ) as rows_in_duels
    where own_class in (first_class, second_class)
    group by
        duel,
        score_difference
),
duel_order as (
    -- the same, beside the rows of the first class with a higher one
    select
        duel,
        score_difference,
        first_weight,
        second_weight,
        counted_rows,
        row_count,
        coalesce(
            sum(first_weight) over (
                partition by duel
                order by score_difference desc rows between unbounded preceding and 1 preceding
            ),
            0
        ) as first_above,
        sum(first_weight) over (partition by duel) as weight_of_first
    from duel_rows
),
class_duels as (
    -- one per pair of classes that have scores
    select
        duel,
        max(weight_of_first) as weight_of_first,
        sum(second_weight) as weight_of_second,
        sum(second_weight * ((first_above + first_weight / 2) / nullif(weight_of_first, 0))) as beaten,
        sum(counted_rows) as row_count
    from duel_order
    group by
        duel
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- mean over the pairs of classes of the AUC of one against the other by the difference of their scores
    case
        when count(*) = 1 and min(weight_of_first) > 0 and min(weight_of_second) > 0
            then avg(beaten / nullif(weight_of_second, 0))
    end as auc_mu
from class_duels
