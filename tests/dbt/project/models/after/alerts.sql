{{ sqlmetrics.alerts() }}
