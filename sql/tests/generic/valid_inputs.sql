{#- The values of the roles are valid for the metrics: labels of 0 and 1, probabilities, weights that are not negative, an item once in
    a group, and so on. The Python runner refuses the same values. Use it for models of metrics that have no test of their own. A
    failing row names the column, the rule, the number of rows and an example. -#}
{% test valid_inputs(model, metrics, max_dropped=none, preset=none, column_name=none) -%}
{%- set inputs = sqlmetrics.inputs_of_test('valid_inputs', kwargs, column_name, ['metrics', 'max_dropped', 'preset']) -%}
{%- if execute -%}{{ sqlmetrics.failures_of_values('valid_inputs', model, metrics, inputs, preset, max_dropped) }}{%- endif -%}
{%- endtest %}
