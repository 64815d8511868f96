{#- A metric whose file and declaration lie in the macros of the project: consumer.py puts them there. -#}
{{ sqlmetrics.evaluate(
    ref('impressions'), metrics=['auc', {'name': 'lift_at_threshold', 'threshold': 0.3}], label='clicked', score='pctr', by=['device'],
) }}
