{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key='day') }}
-- A day as the sums of which these metrics are made.
{{ sqlmetrics.metric_state(
    ref('clicks'), metrics=['copc', 'log_loss', 'precision', 'recall'], label='clicked', score='pctr', by=['day', 'device'],
    where="day > (select max(day) from " ~ ref('clicks') ~ ") - 3" if is_incremental() else none,
    previous=this if is_incremental() else none,
) }}
