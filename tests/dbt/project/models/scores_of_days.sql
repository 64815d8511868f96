{#- An exact state is pre-aggregated rows: any metric of a click can be asked of it. -#}
{{ config(materialized='view') }}
{{ sqlmetrics.evaluate(
    ref('state'), metrics=var('of_scores'), positives='positives', total='= positives + negatives', score='score_key',
    by=['device'],
) }}
