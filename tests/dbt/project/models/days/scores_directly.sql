{{ config(materialized='view') }}
{{ sqlmetrics.evaluate(ref('impressions'), metrics=var('of_scores'), label='clicked', score='pctr', by=['device']) }}
