{#- A metric is within bounds, in every slice. A slice with fewer than min_rows fails, and so does an empty table. Invalid values fail,
    and so do more than max_dropped rows without a value. With confidence a slice fails only if its whole interval is beyond a bound;
    with strict it fails unless the whole interval is within. Without any role (label, score …) the model is a state. -#}
{% test metric_between(model, metric, min_value=none, max_value=none, min_rows=1, max_dropped=none, confidence=none, cluster=none, strict=false, binned=false, by=none, column_name=none) -%}
{%- set arguments = {'by': by, 'min_value': min_value, 'max_value': max_value, 'min_rows': min_rows, 'max_dropped': max_dropped, 'confidence': confidence, 'cluster': cluster, 'strict': strict, 'binned': binned} -%}
{%- set inputs = sqlmetrics.inputs_of_test('metric_between', kwargs, column_name, arguments) -%}
{%- if execute -%}{{ sqlmetrics.failures_between('metric_between', model, metric, inputs, arguments) }}{%- endif -%}
{%- endtest %}
