-- A row per device and day: the value, the mean of the days before, the band, and whether it falls.
{{ sqlmetrics.metric_trend(
    ref('clicks'), 'auc', time='day', trailing=14, by=['device'], label='clicked', score='pctr',
    confidence=0.99, cluster='user_id',
) }}
