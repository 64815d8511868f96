{#- The values of the roles are such as the metrics have a meaning for: labels of 0 and 1, probabilities, weights that are not
    negative, an item once in a group, and so on, as the Python runner would refuse them. For models of metrics that are built
    without a test of their own. A failing row names the column, the rule, the rows and an example. -#}
{% test valid_inputs(model, metrics, max_dropped=none, preset=none, column_name=none) -%}
{%- set inputs = sqlmetrics.inputs_of_test('valid_inputs', kwargs, column_name, ['metrics', 'max_dropped', 'preset']) -%}
{%- if execute -%}{{ sqlmetrics.failures_of_values('valid_inputs', model, metrics, inputs, preset, max_dropped) }}{%- endif -%}
{%- endtest %}
