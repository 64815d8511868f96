{#- A metric is not worse than the champion's by more than the tolerance, in every slice. The champion is another score, compared on the
    rows that have both, the same columns of another relation, or both. With confidence, a slice fails only if it is significantly worse
    by more than the tolerance; with strict it fails unless it is significantly not worse. Without any role (label, score …) the model
    and champion_relation are states. -#}
{% test metric_not_worse_than(model, metric, champion_score=none, champion_relation=none, tolerance=0, better=none, min_rows=1, max_dropped=none, confidence=none, cluster=none, strict=false, binned=false, by=none, column_name=none) -%}
{%- set arguments = {'by': by, 'champion_score': champion_score, 'champion_relation': champion_relation, 'tolerance': tolerance, 'better': better, 'min_rows': min_rows, 'max_dropped': max_dropped, 'confidence': confidence, 'cluster': cluster, 'strict': strict, 'binned': binned} -%}
{%- set inputs = sqlmetrics.inputs_of_test('metric_not_worse_than', kwargs, column_name, arguments) -%}
{%- if execute -%}{{ sqlmetrics.failures_against('metric_not_worse_than', model, metric, inputs, arguments) }}{%- endif -%}
{%- endtest %}
