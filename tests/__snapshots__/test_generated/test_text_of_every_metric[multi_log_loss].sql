-- multi_log_loss of impressions
with
source as not materialized (
    select
        clicked as label_class,
        cast(p_cat as double) as class_score_multi_log_loss_1,
        cast(p_dog as double) as class_score_multi_log_loss_2
    from impressions
),
observations as not materialized (
    select
        cast(1 as double) as weight,
        label_class,
        class_score_multi_log_loss_1,
        class_score_multi_log_loss_2
    from source
    where label_class is not null
        and class_score_multi_log_loss_1 is not null
        and not isnan(class_score_multi_log_loss_1)
        and class_score_multi_log_loss_2 is not null
        and not isnan(class_score_multi_log_loss_2)
)
select
    count(*) as n,
    -sum(weight * ln(least(greatest(case label_class when 'cat' then class_score_multi_log_loss_1 when 'dog' then class_score_multi_log_loss_2 end, 2.220446049250313e-16), 1 - 2.220446049250313e-16))) / nullif(sum(weight), 0) as multi_log_loss
from observations
