{{ config(
    materialized='incremental',
    incremental_strategy='insert_overwrite' if target.type == 'spark' else 'delete+insert',
    unique_key=none if target.type == 'spark' else 'day',
    partition_by=['day'] if target.type == 'spark' else none,
    file_format='parquet' if target.type == 'spark' else none,
) }}
{{ sqlmetrics.metric_state(
    ref('impressions'), metrics=var('additive_lists'), score='pctr', item='ad', by=['day', 'device'],
    group="= user_id || ' ' || cast(day as " ~ sqlmetrics.type_text() ~ ")",
    where="day = cast('" ~ var('day') ~ "' as date)" if var('day') else none,
) }}
