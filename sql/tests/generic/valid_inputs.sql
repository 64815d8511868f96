{#- The values of the roles are such as the metrics have a meaning for: labels of 0 and 1, probabilities, weights that are not
    negative, an item once in a group, and so on, as the Python runner would refuse them. For models of metrics that are built
    without a test of their own. A failing row names the column, the rule, the rows and an example. -#}
{% test valid_inputs(model, metrics, max_dropped=none, preset=none, column_name=none, label=none, score=none, prediction=none, group=none, item=none, rank=none, tie_key=none, weight=none, positives=none, total=none, group_weight=none, field=none, p_price=none, p_survive=none, won=none, reward=none, propensity=none, target=none, q_action=none, q_policy=none, lower_bound=none, upper_bound=none, treatment=none, duration=none, subtopic=none, judgments=none, catalog=none, similarity=none, popularity=none, group_column=none) -%}
{%- set score = column_name if score is none else score -%}
{%- set group = sqlmetrics.group_of_test('valid_inputs', group, group_column) -%}
{%- set roles = {'label': label, 'score': score, 'prediction': prediction, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': group_weight, 'field': field, 'p_price': p_price, 'p_survive': p_survive, 'won': won, 'reward': reward, 'propensity': propensity, 'target': target, 'q_action': q_action, 'q_policy': q_policy, 'lower_bound': lower_bound, 'upper_bound': upper_bound, 'treatment': treatment, 'duration': duration, 'subtopic': subtopic} -%}
{%- set relations = {'judgments': judgments, 'catalog': catalog, 'similarity': similarity, 'popularity': popularity} -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.input_failures('valid_inputs', sqlmetrics.plan(sqlmetrics.call_of('valid_inputs', model, metrics, roles, relations, preset, none, none, none)), max_dropped)) }}
{%- endtest %}
