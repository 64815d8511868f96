{#- The last period of a metric is not worse than its trailing periods, in every slice. The test uses the band of metric_trend: the
    median and spread of the values or, with confidence, a significant difference. A slice without rows in the last period fails, and so
    do fewer than min_periods trailing periods. Invalid values fail, and so do more than max_dropped rows without a value. Without any
    role (label, score …) the model is a state. -#}
{% test metric_not_falling(model, metric, time, trailing=14, by=none, better=none, tolerance=0, deviations=3.5, min_periods=none, min_rows=1, max_dropped=none, confidence=none, cluster=none, binned=false, column_name=none) -%}
{%- set arguments = {'time': time, 'trailing': trailing, 'by': by, 'better': better, 'tolerance': tolerance, 'deviations': deviations, 'min_periods': min_periods, 'min_rows': min_rows, 'max_dropped': max_dropped, 'confidence': confidence, 'cluster': cluster, 'binned': binned} -%}
{%- set inputs = sqlmetrics.inputs_of_test('metric_not_falling', kwargs, column_name, arguments) -%}
{%- if execute -%}{{ sqlmetrics.failures_of_trend('metric_not_falling', model, metric, inputs, arguments) }}{%- endif -%}
{%- endtest %}
