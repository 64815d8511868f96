{#- The predictions are calibrated in every slice with min_rows rows: COPC, the observed positives over the predicted ones, is within
    bounds. The test fails where no slice has that many rows. -#}
{% test calibrated_by(model, by, label=none, score=none, weight=none, positives=none, total=none, min_value=0.9, max_value=1.1, min_rows=100, max_dropped=none, column_name=none) -%}
{%- if execute -%}
{%- set score = sqlmetrics.column_of_test(column_name) if score is none else score -%}
{%- set roles = {'label': label, 'score': score, 'weight': weight, 'positives': positives, 'total': total} -%}
{%- set arguments = {'by': by, 'min_value': min_value, 'max_value': max_value, 'min_rows': min_rows, 'max_dropped': max_dropped, 'confidence': none, 'cluster': none, 'strict': false, 'binned': false} -%}
{{ sqlmetrics.failures_between('calibrated_by', model, 'copc', {'roles': roles, 'relations': {}}, arguments, 'skip') }}
{%- endif -%}
{%- endtest %}
