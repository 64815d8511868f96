-- serendipity of impressions
with
sqlmetrics_all_expected as (
    -- one per item that is no surprise
    select
        item as item_id
    from all_expected_items
    where item is not null
),
source as (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        user_id as group_id,
        item as item_id,
        item as tie_key
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        label,
        score,
        group_id,
        item_id,
        tie_key
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
        and group_id is not null
        and item_id is not null
),
lists_with_labels as (
    -- one per item of a list
    select
        group_id,
        item_id,
        label,
        1 as row_count
    from valid_rows
),
items_expected_or_not as (
    -- items of lists, with a flag for expected items
    select
        lists_of_groups.group_id as group_id,
        lists_of_groups.label as label,
        case when sqlmetrics_all_expected.item_id is null then 0 else 1 end as expected
    from lists_with_labels as lists_of_groups
    left join sqlmetrics_all_expected on lists_of_groups.item_id = sqlmetrics_all_expected.item_id
),
surprising_items as (
    -- one per list, from its items, each expected or not
    select
        group_id,
        cast(sum(case when expected = 0 and label >= 1 then 1 else 0 end) as double)
            / nullif(cast(count(*) as double), 0) as serendipity,
        count(*) as row_count
    from items_expected_or_not
    group by group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- listed items that are relevant and not expected / listed items, then the mean over lists
    avg(serendipity) as serendipity
from surprising_items
