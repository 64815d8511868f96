{{ sqlmetrics.metric_state(
    ref('impressions'), metrics=[{'name': 'lift_at_threshold', 'threshold': 0.3}], label='clicked', score='pctr', by=['day', 'device'],
) }}
