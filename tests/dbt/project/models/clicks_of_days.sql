{{ config(materialized='view') }}
{{ sqlmetrics.metrics_of_state(ref('clicks_by_day'), metrics=var('additive_clicks'), by=['device']) }}
