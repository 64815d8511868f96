{{ sqlmetrics.evaluate(ref('impressions'), metrics=var('classes').values() | list, label='class_name', prediction='said', by=[[], ['device']]) }}
