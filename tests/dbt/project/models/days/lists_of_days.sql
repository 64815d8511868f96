{{ config(materialized='view') }}
{{ sqlmetrics.metrics_of_state(
    ref('lists_by_day'), metrics=var('additive_lists'), by=['device'], item='ad', catalog=ref('catalog'), popularity=ref('popularity'),
) }}
