{{ sqlmetrics.metrics_of_state(ref('lift_by_day'), metrics=[{'name': 'lift_at_threshold', 'threshold': 0.3}], by=['device']) }}
