-- A row per device and day, from the state: the value, the mean of the days before, the band, and whether it falls.
{{ sqlmetrics.metric_trend(
    ref('daily_scores'), 'auc', time='day', trailing=14, by=['device'], binned=true, confidence=0.99,
) }}
