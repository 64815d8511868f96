{#- An exact state has pre-aggregated rows, which support any metric of clicks. -#}
{{ config(materialized='view') }}
{{ sqlmetrics.evaluate(
    ref('state'), metrics=var('of_scores'), positives='positives', total='= positives + negatives', score='score_key',
    by=['device'],
) }}
