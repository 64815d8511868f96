-- normalized_gini of impressions
with
source as (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        cast(1 as double) as weight,
        label,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
rows_by_label as (
    -- one per row of the log, with its rank by label
    select
        score,
        label - min(label) over (order by label asc rows between unbounded preceding and unbounded following) as label_above_lowest,
        (
            cast(rank() over (order by label asc) - 1 as double)
                / nullif(count(*) over (order by label asc rows between unbounded preceding and unbounded following), 0)
            + cume_dist() over (order by label asc) - 1
        ) / 2 as label_rank
    from valid_rows
),
rows_by_score as (
    -- rows, with their ranks by label and by score
    select
        label_rank,
        label_above_lowest,
        (
            cast(rank() over (order by score asc) - 1 as double)
                / nullif(count(*) over (order by score asc rows between unbounded preceding and unbounded following), 0)
            + cume_dist() over (order by score asc) - 1
        ) / 2 as score_rank
    from rows_by_label
),
paired_ranks as (
    -- one per row of the log, or per distinct label where rows are weighted or scores repeat
    select
        label_rank,
        label_above_lowest,
        cast(1 as double) as weight,
        score_rank as score_rank_sum,
        score_rank * score_rank as score_rank_squares,
        1 as row_count
    from rows_by_score
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- G(ŷ) / G(y), where G(x) = Σ w·y·(2·F(x) − 1), F(x) the share of the weight below x, ties half
    case
        when max(case when weight > 0 then label_above_lowest end) > 0
            then sum(label_above_lowest * score_rank_sum) / nullif(sum(label_above_lowest * weight * label_rank), 0)
    end as normalized_gini
from paired_ranks
