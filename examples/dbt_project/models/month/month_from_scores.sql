{{ config(materialized='view') }}
-- The month without its log: how well the model ranks, and how sure that is.
{{ sqlmetrics.state_metrics(
    ref('daily_scores'), binned=true, metrics=['auc', 'ece'], by=['device'], confidence=0.95, round=6,
) }}
