-- compatibility of impressions
with
source as (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        user_id as group_id
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        label,
        score,
        group_id
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
        and group_id is not null
),
first_ranks as (
    -- one per item, with its rank by score
    select
        group_id,
        score,
        label,
        row_number() over (partition by group_id order by score desc, label asc) as first_rank
    from valid_rows
),
list_ranks as materialized (
    -- one per item, with its ranks by score and by label
    select
        group_id,
        first_rank,
        case
            when label >= 1
                then row_number() over (
                        partition by group_id
                        order by case when label >= 1 then 1 else 0 end desc, label desc, first_rank asc nulls last
                    )
        end as second_rank
    from first_ranks
),
depths as materialized (
    -- one per depth of the longest list, with the sum of the weights from there on
    select
        sum(
            case
                when coalesce(
                    (depth - 1)
                    * ln(nullif(cast(0.95 as double), 0)),
                    0
                ) > -700
                    then power(cast(0.95 as double), depth - 1)
                else 0
            end / depth
        ) over (order by depth desc rows unbounded preceding) as compatibility_tail,
        depth
    from (
        select distinct first_rank as depth
        from list_ranks
    ) as all_depths
    where depth is not null
),
lists as (
    -- one per group, with the items in both lists
    select
        group_id,
        cast(count(common_depth) as double) as compatibility_overlap,
        coalesce(sum(compatibility_tail), 0) as compatibility_weights,
        count(first_rank) as first_length,
        count(second_rank) as second_length
    from (
        select
            *,
            case when first_rank is not null and second_rank is not null then greatest(first_rank, second_rank) end as common_depth
        from list_ranks
    ) as items
    left join depths as depths on items.common_depth = depths.depth
    group by group_id
),
list_overlaps as (
    -- one per group, from the items in both of its lists
    select
        group_id,
        (
            compatibility_weights
            - compatibility_overlap * least(
                coalesce(below_first.compatibility_tail, 0),
                coalesce(below_second.compatibility_tail, 0)
            )
        )
            / nullif(
                (1 - case
                    when coalesce(
                        (cast(second_length as double))
                        * ln(nullif(cast(0.95 as double), 0)),
                        0
                    ) > -700
                        then power(cast(0.95 as double), cast(second_length as double))
                    else 0
                end)
                    / (1 - cast(0.95 as double))
                + cast(second_length as double) * (
                    coalesce(below_second.compatibility_tail, 0)
                    - least(
                        coalesce(below_first.compatibility_tail, 0),
                        coalesce(below_second.compatibility_tail, 0)
                    )
                ),
                0
            ) as compatibility,
        first_length as row_count
    from lists as lists
    left join depths as below_first on lists.first_length + 1 = below_first.depth
    left join depths as below_second on lists.second_length + 1 = below_second.depth
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- Σ p^(d − 1)·X(d) / d over Σ p^(d − 1)·min(d, R) / d, X(d) the items among the first d of the list and of the ideal one, which has the R relevant
    -- items, then the mean over groups
    avg(compatibility) as compatibility
from list_overlaps
