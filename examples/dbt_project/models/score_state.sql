{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key='day') }}
-- Counts per score bin, which later days read instead of the log. Pass `--vars 'day: 2026-03-08'` to add or replace one day.
{{ sqlmetrics.score_state(
    ref('impressions'), label='clicked', score=var('live'), bins=1000, by=['day', 'device'],
    where="day = date '" ~ var('day') ~ "'" if var('day', none) else none,
    previous=this if is_incremental() else none,
) }}
