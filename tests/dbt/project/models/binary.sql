{{ sqlmetrics.evaluate(ref('impressions'), metrics=var('binary').values() | list, label='clicked', score='pctr', group='user_id', by=[[], ['device']]) }}
