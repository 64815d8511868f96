{{ sqlmetrics.evaluate(
    ref('impressions'),
    metrics=['auc', 'gauc', 'copc', 'log_loss'],
    label='clicked', score=[var('live'), var('champion')], group='user_id',
    by=['device'],
) }}
