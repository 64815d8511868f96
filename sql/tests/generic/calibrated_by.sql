{#- What was predicted came true, in every value of a field that has min_rows rows: COPC, the truth over the prediction,
    lies within bounds. Where no value has as many rows the test fails. -#}
{% test calibrated_by(model, field, label=none, score=none, weight=none, positives=none, total=none, min_value=0.9, max_value=1.1, min_rows=100, max_dropped=none, column_name=none) -%}
{%- if execute -%}
{%- set roles = {'label': label, 'score': sqlmetrics.column_of_test(column_name) if score is none else score, 'weight': weight, 'positives': positives, 'total': total} -%}
{{ sqlmetrics.failures_between('calibrated_by', model, 'copc', {'roles': roles, 'relations': {}}, [field], min_value, max_value, min_rows, 'skip', max_dropped) }}
{%- endif -%}
{%- endtest %}
