-- multi_log_loss of impressions
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
    -- −mean ln p(true class), p kept within [eps, 1 − eps]
    -sum(weight * ln(least(greatest(case label_class when 'cat' then class_score_1_1 when 'dog' then class_score_1_2 end, 2.220446049250313e-16), 1 - 2.220446049250313e-16))) / nullif(sum(weight), 0) as multi_log_loss
from observations
