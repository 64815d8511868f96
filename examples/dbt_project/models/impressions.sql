-- One row per impression: what was shown, whether it was clicked, and the scores of three models.
select
    day,
    device,
    user_id,
    session_id,
    clicked,
    pctr_a,
    pctr_b,
    -- a model whose features arrive one impression late: nothing but the name of the column looks wrong
    lag(pctr_a, 1, 0.05) over (order by session_id, position) as pctr_late
from {{ source('logs', 'impressions') }}
