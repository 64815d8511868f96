-- auc of impressions
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
        label as pos,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
ranked_scores as (
    -- one per row of the log, unweighted
    select
        pos,
        rank() over (order by score desc) - 1 as rows_above,
        cume_dist() over (order by score desc) as cumulative_share
    from valid_rows
)
select
    count(*) as n,
    -- P(score of a positive > score of a negative) + ½ P(the two are equal)
    1 - (sum(pos * rows_above) + round(count(*) * sum(pos * cumulative_share)) - sum(pos) * sum(pos))
        / nullif(2 * sum(pos) * (count(*) - sum(pos)), 0) as auc
from ranked_scores
