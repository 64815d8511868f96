{{ config(materialized='view') }}
{{ sqlmetrics.metrics_of_state(ref('classes_by_day'), metrics=var('additive_classes'), by=['device']) }}
