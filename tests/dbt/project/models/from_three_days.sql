{{ config(materialized='view') }}
{{ sqlmetrics.state_metrics(ref('state_binned'), binned=true, where="day between cast('2026-01-02' as date) and cast('2026-01-04' as date)") }}
