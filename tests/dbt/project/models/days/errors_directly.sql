{{ config(materialized='view') }}
{{ sqlmetrics.evaluate(
    ref('impressions'), metrics=var('additive_errors'), label='y', score='y_hat', by=['device'],
) }}
