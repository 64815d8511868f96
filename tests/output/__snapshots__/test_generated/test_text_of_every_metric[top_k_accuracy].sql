-- top_k_accuracy_at_1 of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        clicked as label_class,
        cast(p_cat as double) as class_score_1_1,
        cast(p_dog as double) as class_score_1_2
    from impressions
),
observations as (
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
)
select
    count(*) as n,
    -- share of rows whose true class is among the k with the highest scores
    sum(weight * case label_class when 'cat' then case when case when class_score_1_2 >= class_score_1_1 then 1 else 0 end < 1 then 1 else 0 end when 'dog' then case when case when class_score_1_1 >= class_score_1_2 then 1 else 0 end < 1 then 1 else 0 end end) / nullif(sum(weight), 0) as top_k_accuracy_at_1
from observations
