{{ config(materialized='incremental') }}
-- All failures of tests since this table was created. Run it after the tests: `dbt build`, then `dbt run --select alerts`.
select * from (
    {{ sqlmetrics.alerts() }}
) as new_alerts
{% if is_incremental() %}
where checked_at > (select coalesce(max(checked_at), timestamp '1970-01-01 00:00:00') from {{ this }})
{% endif %}
