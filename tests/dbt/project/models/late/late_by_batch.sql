{#- One batch for all five days: a daily batch would run for every day since. -#}
{{ config(
    enabled=target.type != 'spark', materialized='incremental', incremental_strategy='microbatch', event_time='day', batch_size='year', begin='2026-01-01',
    lookback=0, unique_key='state_key' if target.type == 'postgres' else none,
) }}
{%- set again = is_incremental() and model.batch is defined -%}
{{ sqlmetrics.score_state(
    ref('arriving'), label='clicked', score='pctr', bins=20, by=['day', 'device'], buckets=20, cluster='user_id',
    previous=this if again else none,
    previous_where="day >= date '" ~ model.batch.event_time_start.date() ~ "' and day < date '" ~ model.batch.event_time_end.date() ~ "'"
        if again else none,
) }}
