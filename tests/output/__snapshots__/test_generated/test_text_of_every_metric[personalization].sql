-- personalization of impressions
with
source as not materialized (
    -- the columns that are read, under the names that all steps use
    select
        cast(pctr as double) as score,
        user_id as group_id,
        item as item_id,
        item as tie_key
    from impressions
),
observations as not materialized (
    -- the rows that count
    select
        score,
        group_id,
        item_id,
        tie_key
    from source
    where (isfinite(score) or isinf(score)) is true
        and group_id is not null
        and item_id is not null
),
listed_items as not materialized (
    -- one per item of a list
    select
        group_id,
        item_id,
        row_number() over (partition by group_id order by score desc, tie_key desc nulls last, item_id desc nulls last) as item_rank,
        cast(count(*) over (partition by group_id) as double) as list_length,
        1 as row_count
    from observations
),
listed_items_metrics as (
    -- one per slice
    select
        cast(coalesce(sum(row_count), 0) as bigint) as n
    from listed_items
),
personalization_metrics as (
    -- 1 − mean over pairs of lists of their cosine similarity, |A ∩ B| / √(|A|·|B|)
    select
        case when floor(sum(shares) + 0.5) > 1 then 1 - (sum(roots * roots) - floor(sum(shares) + 0.5)) / (floor(sum(shares) + 0.5) * (floor(sum(shares) + 0.5) - 1)) end as personalization
    from (
        select
            item_id,
            cast(sum(1 / list_length) as double) as shares,
            cast(sum(1 / sqrt(list_length)) as double) as roots
        from listed_items as lists
        where item_rank is not null
        group by
            item_id
    ) as items_of_lists
)
select
    coalesce(listed_items_metrics.n, 0) as n,
    personalization_metrics.personalization
from listed_items_metrics
left join personalization_metrics
    on 1 = 1
