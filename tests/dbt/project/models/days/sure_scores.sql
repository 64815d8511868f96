{{ config(materialized='view') }}
{{ sqlmetrics.state_metrics(ref('state_binned'), binned=true, by=['device'], confidence=0.95, standard_error=true) }}
