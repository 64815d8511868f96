{#- A metric whose file and declaration are macros of the project; consumer.py adds them. -#}
{{ sqlmetrics.evaluate(
    ref('impressions'), metrics=['auc', {'name': 'lift_at_threshold', 'threshold': 0.3}], label='clicked', score='pctr', by=['device'],
) }}
