{#- The values of the roles are such as the metrics have a meaning for: labels of 0 and 1, probabilities, weights that are not
    negative, an item once in a group, and so on, as the Python runner would refuse them. For models of metrics that are built
    without a test of their own. A failing row names the column, the rule, the rows and an example. -#}
{% test valid_inputs(model, metrics, max_dropped=none, preset=none, column_name=none, group_column=none) -%}
{%- set inputs = sqlmetrics.inputs_of_test('valid_inputs', kwargs, column_name, group_column, ['model', 'metrics', 'max_dropped', 'preset']) -%}
{%- if execute -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.input_failures('valid_inputs', sqlmetrics.plan(sqlmetrics.call_of('valid_inputs', model, metrics, inputs.roles, inputs.relations, {'preset': preset})), max_dropped)) }}
{%- endif -%}
{%- endtest %}
