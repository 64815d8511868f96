{{ config(materialized='view') }}
select
    day,
    device,
    user_id,
    clicked,
    1 - pctr as pctr,
    pctr_b
from {{ ref('impressions') }}
