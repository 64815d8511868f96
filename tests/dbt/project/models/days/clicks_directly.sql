{{ config(materialized='view') }}
{{ sqlmetrics.evaluate(
    ref('impressions'), metrics=var('additive_clicks'), label='clicked', score='pctr', by=['device'],
) }}
