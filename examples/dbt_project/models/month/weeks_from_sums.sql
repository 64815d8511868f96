{{ config(materialized='view') }}
{{ sqlmetrics.metrics_of_state(
    ref('daily_sums'), metrics=['copc', 'log_loss', 'precision', 'recall'], by=["week = date_trunc('week', day)", 'device'],
    round=6,
) }}
