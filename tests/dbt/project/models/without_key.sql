{#- As dbt takes it without a unique_key: a day that is built again is there twice. -#}
{{ config(materialized='incremental', incremental_strategy='append') }}
{{ sqlmetrics.score_state(
    ref('impressions'), label='clicked', score='pctr', bins=20, by=['day', 'device'],
    where="day = cast('" ~ var('day') ~ "' as date)" if var('day') else none,
) }}
