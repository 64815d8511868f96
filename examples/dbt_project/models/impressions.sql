-- One row per impression, with the click and the scores of three models.
select
    day,
    device,
    user_id,
    session_id,
    clicked,
    pctr_a,
    pctr_b,
    -- a broken model: its features arrive one impression late
    lag(pctr_a, 1, 0.05) over (order by session_id, position) as pctr_late
from {{ source('logs', 'impressions') }}
