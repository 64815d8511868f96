{#- The state gets another metric from a later day on. -#}
{{ config(
    materialized='incremental', incremental_strategy='delete+insert', unique_key='state_key',
    on_schema_change='append_new_columns',
) }}
{{ sqlmetrics.metric_state(
    ref('impressions'), metrics=['copc'] + (['brier'] if var('with_brier', false) else []), label='clicked', score='pctr',
    by=['day', 'device'], where="day = cast('" ~ var('day') ~ "' as date)" if var('day') else none,
    previous=this if is_incremental() else none,
) }}
