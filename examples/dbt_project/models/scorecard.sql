{{ sqlmetrics.evaluate(
    ref('impressions'),
    metrics=['auc', 'gauc', 'copc', 'log_loss', 'ndcg@10', {'name': 'ece', 'bins': 20, 'as': 'ece_20'}],
    label='clicked', score=var('live'), group='user_id',
    by=[[], ['day'], ['day', 'device']],
) }}
