-- error_table of impressions
with
source as not materialized (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
valid_rows as not materialized (
    -- rows without missing values
    select
        cast(1 as double) as weight,
        label,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
scores_with_weights as (
    -- one per row, with the weight before it
    select
        score,
        label,
        1 as row_count,
        cast(rank() over (order by score asc) - 1 as double) as weight_before
    from valid_rows
),
rows_to_bin as (
    -- one per slice
    select
        cast(count(*) as double) as weight_of_all
    from valid_rows
),
binned_scores as (
    -- scores with their bin
    select
        scored.*,
        least(floor(10 * weight_before / nullif(weight_of_all, 0)), 9) as bin
    from scores_with_weights as scored
    inner join rows_to_bin as counted on 1 = 1
),
error_bins as (
    -- one per bin of equal weight of the scores
    select
        bin,
        min(score) as lowest_score,
        max(score) as highest_score,
        cast(count(*) as double) as weight,
        sum(score) as score_sum,
        sum(label) as label_sum,
        sum((score - label)) as error_sum,
        sum(abs(score - label)) as absolute_error_sum,
        sum((score - label) * (score - label)) as squared_error_sum,
        sum(row_count) as row_count
    from binned_scores
    group by bin
),
error_table as (
    -- per bin of equal weight of ŷ, the mean ŷ next to the mean y, the mean of ŷ − y, the mean |y − ŷ| and √ mean (y − ŷ)²
    select
        cast(bin as bigint) + 1 as bin,
        lowest_score as lower,
        highest_score as upper,
        cast(row_count as bigint) as "rows",
        score_sum / nullif(weight, 0) as mean_score,
        label_sum / nullif(weight, 0) as mean_label,
        error_sum / nullif(weight, 0) as mean_error,
        absolute_error_sum / nullif(weight, 0) as mae,
        sqrt(squared_error_sum / nullif(weight, 0)) as rmse
    from error_bins
)
select
    error_table.bin,
    error_table.lower,
    error_table.upper,
    error_table."rows",
    error_table.mean_score,
    error_table.mean_label,
    error_table.mean_error,
    error_table.mae,
    error_table.rmse
from error_table
order by error_table.bin asc
