{#- The values of the roles are valid for the metrics: labels of 0 and 1, probabilities, weights that are not negative, an item once in
    a group, and so on. The Python runner refuses the same values. Use it for models of metrics that have no test of their own. A
    failing row names the column, the rule, the number of rows and an example. -#}
{% test valid_inputs(model, metrics, max_dropped=none, preset=none, column_name=none) -%}
{%- set inputs = sqlmetrics.inputs_of_test('valid_inputs', kwargs, column_name, ['metrics', 'max_dropped', 'preset']) -%}
{%- if execute -%}
{%- do sqlmetrics.check_rules('valid_inputs', [sqlmetrics.whole_number_rule('max_dropped', max_dropped or 0, 0)]) -%}
{%- set q = sqlmetrics.plan(sqlmetrics.call_of('valid_inputs', model, metrics, inputs.roles, inputs.relations, {'preset': preset})) -%}
{%- set judged = sqlmetrics.judged_slices("'all rows'", sqlmetrics.to_double('null'), [], [['1 = 1', none, 'reason']], 'from inputs') -%}
{{ sqlmetrics.failing_rows('valid_inputs', sqlmetrics.names_of(q.requested) | join(', '), sqlmetrics.inputs_step([q], max_dropped), judged) }}
{%- endif -%}
{%- endtest %}
