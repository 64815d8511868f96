{#- A metric is not worse than the champion's, in every slice, by more than the tolerance. The champion is another score,
    compared on the rows that have both, the same columns of another relation, or both. With confidence, a slice fails only where
    it is worse by more than the tolerance and chance; with strict as well, unless it is sure that it is not. -#}
{% test metric_not_worse_than(model, metric, champion_score=none, champion_relation=none, tolerance=0, better=none, min_rows=1, max_dropped=none, confidence=none, cluster=none, strict=false, by=none, column_name=none, group_column=none) -%}
{%- set inputs = sqlmetrics.inputs_of_test('metric_not_worse_than', kwargs, column_name, group_column, ['model', 'metric', 'champion_score', 'champion_relation', 'tolerance', 'better', 'min_rows', 'max_dropped', 'confidence', 'cluster', 'strict', 'by']) -%}
{%- if execute -%}
{%- set given = {'by': by, 'tolerance': tolerance, 'better': better, 'min_rows': min_rows, 'max_dropped': max_dropped, 'confidence': confidence, 'cluster': cluster, 'strict': strict} -%}
{{ sqlmetrics.failures_against('metric_not_worse_than', model, metric, inputs, champion_relation, champion_score, given) }}
{%- endif -%}
{%- endtest %}
