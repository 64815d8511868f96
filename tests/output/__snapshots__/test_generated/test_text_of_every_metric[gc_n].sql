-- gc_n of impressions
with
source as not materialized (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        field as field_id
    from impressions
),
valid_rows as not materialized (
    -- rows without missing values
    select
        label as pos,
        1 - label as neg,
        score,
        field_id
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
        and field_id is not null
),
scores_with_weights_of_field as (
    -- one per row, with the weight before it
    select
        field_id,
        score,
        pos,
        1 - pos as neg,
        1 as row_count,
        cast(rank() over (partition by field_id order by score asc) - 1 as double) as weight_before
    from valid_rows
),
rows_to_bin_of_field as (
    -- one per slice
    select
        field_id,
        cast(count(*) as double) as weight_of_all
    from valid_rows
    group by field_id
),
binned_scores_of_field as (
    -- scores with their bin
    select
        scored.*,
        least(floor(10 * weight_before / nullif(weight_of_all, 0)), 9) as bin
    from scores_with_weights_of_field as scored
    inner join rows_to_bin_of_field as counted on scored.field_id = counted.field_id
),
bins_of_field as (
    -- one per value of the field and bin of scores
    select
        field_id,
        bin,
        sum(pos) as pos,
        sum(neg) as neg,
        sum((pos + neg) * score) as score_sum,
        sum(row_count) as row_count
    from binned_scores_of_field
    group by field_id, bin
),
field_bins as (
    -- one per value of the field
    select
        field_id,
        sum(pos + neg) as weight,
        sqrt(avg(case
            when pos > 0 and score_sum >= pos then (score_sum / pos - 1) * (score_sum / pos - 1)
            when pos > 0 and score_sum > 0 then (pos / score_sum - 1) * (pos / score_sum - 1)
        end)) as cal_n,
        sum(row_count) as row_count
    from bins_of_field
    group by field_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- Σ w_f·cal_n_f / Σ w_f over the values of the field, w_f its rows
    sum(weight * cal_n) / nullif(sum(case when cal_n is not null then weight end), 0) as gc_n
from field_bins
