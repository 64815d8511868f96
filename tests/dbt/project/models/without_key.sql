{#- Without a unique_key, dbt stores a day twice that is built again. -#}
{{ config(materialized='incremental', incremental_strategy='append') }}
{{ sqlmetrics.score_state(
    ref('impressions'), label='clicked', score='pctr', bins=20, by=['day', 'device'],
    where="day = cast('" ~ var('day') ~ "' as date)" if var('day') else none,
) }}
