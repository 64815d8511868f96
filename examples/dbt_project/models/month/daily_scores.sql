{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key='day') }}
-- A day as the clicks in each of 200 bins and 20 buckets of users. The last three days are built again at every run.
{{ sqlmetrics.score_state(
    ref('clicks'), label='clicked', score='pctr', bins=200, by=['day', 'device'], buckets=20, cluster='user_id',
    where="day > (select max(day) from " ~ ref('clicks') ~ ") - 3" if is_incremental() else none,
    previous=this if is_incremental() else none,
) }}
