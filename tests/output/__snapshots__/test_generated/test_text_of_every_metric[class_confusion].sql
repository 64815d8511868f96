-- class_confusion of impressions
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
class_confusion as (
    -- one row per pair of label and prediction that occurs, with its (weighted) count
    select
        label_class as label,
        predicted_class as prediction,
        weight as count
    from class_pairs
)
select
    class_confusion.label,
    class_confusion.prediction,
    class_confusion.count
from class_confusion
order by class_confusion.label asc, class_confusion.prediction asc
