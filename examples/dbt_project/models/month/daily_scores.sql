{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key='day') }}
-- A day as the clicks in each of 200 bins and 20 buckets of users. Each run rebuilds the last three days of the state and adds all later ones.
{{ sqlmetrics.score_state(
    ref('clicks'), label='clicked', score='pctr', bins=200, by=['day', 'device'], buckets=20, cluster='user_id',
    where="day > (select coalesce(max(day), date '1970-01-01') from " ~ this ~ ") - 3" if is_incremental() else none,
    previous=this if is_incremental() else none,
) }}
