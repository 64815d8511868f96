{{ config(materialized='table' if target.type in ['spark', 'bigquery'] else 'incremental', incremental_strategy='delete+insert', unique_key='day') }}
{{ sqlmetrics.score_state(
    ref('impressions'), label='clicked', score='pctr', by=['day', 'device'],
    where="day = cast('" ~ var('day') ~ "' as date)" if var('day') else none,
) }}
