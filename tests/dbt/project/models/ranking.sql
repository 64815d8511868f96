{{ sqlmetrics.evaluate(ref('impressions'), metrics=var('ranking').values() | list, label='grade', score='pctr', group='user_id', by=[[], ['device']]) }}
