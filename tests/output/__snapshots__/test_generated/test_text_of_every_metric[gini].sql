-- gini of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as (
    -- the rows that count
    select
        label as pos,
        1 - label as neg,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
labelled_scores as (
    -- what is sorted
    select
        cast(pos as tinyint) as pos,
        score
    from observations
),
ranked_scores as (
    -- one per row of the log, unweighted
    select
        cast(pos as double) as pos,
        cast(1 - pos as double) as neg,
        cast(rank() over (order by score desc) - 1 as double) as rows_above,
        cume_dist() over (order by score desc) as share_through
    from labelled_scores
)
select
    count(*) as n,
    -- 2·AUC − 1
    2 * (1 - (
        (sum(pos * rows_above) + case when count(*) * sum(pos * share_through) < 1e15 then floor(count(*) * sum(pos * share_through) + 0.5) else count(*) * sum(pos * share_through) end) / 2
        - sum(pos) * sum(pos) / 2
    ) / nullif(sum(pos) * (count(*) - sum(pos)), 0)) - 1 as gini
from ranked_scores
