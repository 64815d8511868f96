{{ config(materialized='view') }}
{{ sqlmetrics.metrics_of_state(
    ref('errors_by_day'), metrics=var('additive_errors'), by=['device'], confidence=0.95, standard_error=true,
) }}
