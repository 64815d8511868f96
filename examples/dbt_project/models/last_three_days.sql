{{ config(materialized='view') }}
{{ sqlmetrics.state_metrics(
    ref('score_state'), binned=true, by=['device'],
    where="day > (select max(day) from " ~ ref('score_state') ~ ") - 3",
) }}
