-- class_report of impressions
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
class_counts as (
    -- one per class, of the labels and of the predictions
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
class_report as (
    -- one row per class, its precision, recall, f1 and support (TP + FN)
    select
        class,
        coalesce(tp / nullif(tp + fp, 0), 0) as precision,
        coalesce(tp / nullif(tp + fn, 0), 0) as recall,
        coalesce(2 * tp / nullif(2 * tp + fp + fn, 0), 0) as f1,
        tp + fn as support
    from class_counts
)
select
    class_report.class,
    class_report.precision,
    class_report.recall,
    class_report.f1,
    class_report.support
from class_report
order by class_report.class asc
