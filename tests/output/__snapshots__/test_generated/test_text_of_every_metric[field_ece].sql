-- field_ece of impressions
with
source as (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        field as field_id
    from impressions
),
valid_rows as (
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
field_sums as (
    -- one per value of the field
    select
        field_id,
        sum(pos) as pos,
        sum(neg) as neg,
        sum((pos + neg) * score) as score_sum,
        count(*) as row_count
    from valid_rows
    group by field_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- Σ_f |Σ w(p − y)| / W over the values of the field
    sum(abs(score_sum - pos)) / nullif(sum(pos + neg), 0) as field_ece
from field_sums
