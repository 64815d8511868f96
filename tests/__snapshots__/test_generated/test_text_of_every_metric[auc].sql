-- auc of impressions
with
source as not materialized (
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as not materialized (
    select
        label as pos,
        1 - label as neg,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
labelled_scores as not materialized (
    select
        cast(pos as tinyint) as pos,
        score
    from observations
),
ranked_scores as not materialized (
    select
        cast(pos as double) as pos,
        cast(1 - pos as double) as neg,
        cast(rank() over (order by score desc) - 1 as double) as rows_above,
        cume_dist() over (order by score desc) as share_through
    from labelled_scores
)
select
    count(*) as n,
    1 - (
        (sum(pos * rows_above) + count(*) * sum(pos * share_through)) / 2
        - sum(pos) * sum(pos) / 2
    ) / nullif(sum(pos) * (count(*) - sum(pos)), 0) as auc
from ranked_scores
