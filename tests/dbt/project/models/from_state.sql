{{ config(materialized='view') }}
{{ sqlmetrics.state_metrics(ref('state'), by=['device']) }}
