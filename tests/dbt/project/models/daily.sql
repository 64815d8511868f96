{{ sqlmetrics.evaluate(ref('impressions'), metrics=['auc', 'copc'], label='clicked', score='pctr', by=['day', 'device']) }}
