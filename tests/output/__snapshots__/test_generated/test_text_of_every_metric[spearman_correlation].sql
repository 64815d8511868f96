-- spearman_correlation of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
valid_rows as (
    -- the rows that count
    select
        cast(1 as double) as weight,
        label,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
value_pairs as materialized (
    -- one per distinct pair of label and score
    select
        label,
        score,
        sum(weight) as weight,
        count(*) as row_count
    from valid_rows
    group by
        label,
        score
),
values_in_orders as not materialized (
    -- one per distinct score, and per distinct label
    select
        ordering,
        ordered_value,
        sum(weight) as weight,
        sum(row_count) as row_count
    from (
        select
            ordering,
            case ordering when 1 then score else label end as ordered_value,
            weight,
            row_count
        from value_pairs
        cross join (
            select 1 as ordering
            union all
            select 2 as ordering
        ) as orders
    ) as pairs_in_orders
    group by
        ordering,
        ordered_value
),
places_of_values as not materialized (
    -- these, with what lies below
    select
        ordering,
        ordered_value,
        weight,
        row_count,
        coalesce(
            sum(weight) over (
                partition by ordering
                order by ordered_value asc rows between unbounded preceding and 1 preceding
            ),
            0
        ) as weight_below,
        sum(weight) over (partition by ordering) as weight_of_all
    from values_in_orders
),
score_ranks_of_labels as (
    -- one per distinct label, with the ranks of its rows by the score
    select
        label,
        sum(weight) as weight,
        sum(weight * score_rank) as score_rank_sum,
        sum(weight * score_rank * score_rank) as score_rank_squares,
        sum(row_count) as row_count
    from (
        select
            pairs.label as label,
            pairs.weight as weight,
            ((scores.weight_below + scores.weight / 2) / nullif(scores.weight_of_all, 0) - 0.5) as score_rank,
            pairs.row_count as row_count
        from value_pairs as pairs
        inner join places_of_values as scores
            on pairs.score = scores.ordered_value
            and scores.ordering = 1
    ) as pairs_with_ranks
    group by
        label
),
paired_ranks as (
    -- one per distinct label
    select
        ((labels.weight_below + labels.weight / 2) / nullif(labels.weight_of_all, 0) - 0.5) as label_rank,
        sums.weight as weight,
        sums.score_rank_sum as score_rank_sum,
        sums.score_rank_squares as score_rank_squares,
        sums.row_count as row_count
    from score_ranks_of_labels as sums
    inner join places_of_values as labels
        on sums.label = labels.ordered_value
        and labels.ordering = 2
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- Pearson's coefficient of the ranks of y and of ŷ, equal values by their mean rank
    sum(label_rank * score_rank_sum)
        / (
            sqrt(nullif(sum(weight * label_rank * label_rank), 0))
            * sqrt(nullif(sum(score_rank_squares), 0))
        ) as spearman_correlation
from paired_ranks
