{#- A state has every row of its log, in every slice. It finds late rows: those that arrive after the days that an incremental model
    rebuilds. `relation` is the log; the roles and `by` are those of the state. Pass `metric` if the state needs more than label and
    score. A slice fails where more than max_missing rows are missing, and where the state has rows that the log no longer has. -#}
{% test state_is_complete(model, relation, metric='copc', by=none, max_missing=0) -%}
{%- set arguments = {'metric': metric, 'by': by, 'max_missing': max_missing} -%}
{%- set inputs = sqlmetrics.inputs_of_test('state_is_complete', kwargs, none, ['relation', 'by', 'max_missing']) -%}
{%- if execute -%}{{ sqlmetrics.failures_of_rows('state_is_complete', model, relation, inputs, arguments) }}{%- endif -%}
{%- endtest %}
