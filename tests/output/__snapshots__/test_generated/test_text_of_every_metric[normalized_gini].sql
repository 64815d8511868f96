-- normalized_gini of impressions
with
source as not materialized (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
valid_rows as not materialized (
    -- the rows that count
    select
        cast(1 as double) as weight,
        label,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
lowest_labels as (
    -- from where labels count
    select
        min(case when weight > 0 then label end) as lowest_label
    from valid_rows
),
ordered_values as (
    -- one per distinct score, and per distinct label
    select
        ordering,
        ordered_value,
        sum(weight) as weight,
        sum(weight * label_above_lowest) as label_sum,
        count(*) as row_count
    from (
        select
            ordering,
            case ordering when 1 then score else label end as ordered_value,
            label - lowest_label as label_above_lowest,
            weight
        from valid_rows as labelled
        cross join lowest_labels
        cross join (
            select 1 as ordering
            union all
            select 2 as ordering
        ) as orders
    ) as rows_in_orders
    group by
        ordering,
        ordered_value
),
gini_orders as (
    -- one per order (1 by score, 2 by label) and distinct value in it
    select
        ordering,
        ordered_value,
        weight,
        label_sum,
        row_count,
        coalesce(
            sum(weight) over (
                partition by ordering
                order by ordered_value asc rows between unbounded preceding and 1 preceding
            ),
            0
        ) as weight_below,
        sum(weight) over (partition by ordering) as weight_of_all
    from ordered_values
)
select
    cast(coalesce(sum(case when ordering = 1 then row_count else 0 end), 0) as bigint) as n,
    -- G(ŷ) / G(y), where G(x) = Σ w·y·(2·F(x) − 1), F(x) the share of the weight below x, ties half
    case
        when count(case when ordering = 2 and weight > 0 then 1 end) > 1
            then sum(case
                when ordering = 1
                    then label_sum * (weight_below / nullif(weight_of_all, 0) + (weight_below + weight) / nullif(weight_of_all, 0) - 1)
            end)
                / nullif(sum(case
                when ordering = 2
                    then label_sum * (weight_below / nullif(weight_of_all, 0) + (weight_below + weight) / nullif(weight_of_all, 0) - 1)
            end), 0)
    end as normalized_gini
from gini_orders
