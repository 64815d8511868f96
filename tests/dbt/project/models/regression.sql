{{ sqlmetrics.evaluate(ref('impressions'), metrics=var('regression').values() | list, label='y', score='y_hat', by=[[], ['device']]) }}
