{{ config(materialized='view') }}
-- The AUC of the month with its interval, from the state instead of the log.
{{ sqlmetrics.state_metrics(
    ref('daily_scores'), binned=true, metrics=['auc', 'ece'], by=['device'], confidence=0.95, round=6,
) }}
