{{ config(
    enabled=target.type != 'spark', materialized='incremental', incremental_strategy='merge', unique_key='state_key',
) }}
{{ sqlmetrics.score_state(
    ref('arriving'), label='clicked', score='pctr', bins=20, by=['day', 'device'], buckets=20, cluster='user_id',
    where="day = cast('" ~ var('day') ~ "' as date)" if var('day') else none,
    previous=this if is_incremental() else none,
) }}
