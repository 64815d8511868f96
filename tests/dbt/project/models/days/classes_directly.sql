{{ config(materialized='view') }}
{{ sqlmetrics.evaluate(
    ref('impressions'), metrics=var('additive_classes'), label='class_name', prediction='said', by=['device'],
) }}
