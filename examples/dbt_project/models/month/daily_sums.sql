{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key='day') }}
-- The sums of these metrics per day.
{{ sqlmetrics.metric_state(
    ref('clicks'), metrics=['copc', 'log_loss', 'precision', 'recall'], label='clicked', score='pctr', by=['day', 'device'],
    where="day > (select coalesce(max(day), date '1970-01-01') from " ~ this ~ ") - 3" if is_incremental() else none,
    previous=this if is_incremental() else none,
) }}
