{{ config(materialized='view') }}
{{ sqlmetrics.metrics_of_state(ref('with_another_metric'), ['copc']) }}
