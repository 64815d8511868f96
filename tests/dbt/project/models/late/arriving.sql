{#- The log so far. The third day has late rows and corrected scores. -#}
{{ config(materialized='view', event_time='day') }}
select
    day,
    device,
    user_id,
    clicked,
    case when day = cast('2026-01-03' as date) and not {{ var('all_has_come') }} then pctr / 3 else pctr end as pctr
from {{ ref('impressions') }}
where {{ var('all_has_come') }}
    or day <> cast('2026-01-03' as date)
    or clicked = 1
