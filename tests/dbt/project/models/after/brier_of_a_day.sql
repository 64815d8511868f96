{{ config(materialized='view') }}
{{ sqlmetrics.metrics_of_state(ref('with_another_metric'), ['copc', 'brier'], where="day = cast('2026-01-03' as date)") }}
