{#- A metric lies within bounds, in every slice. A slice with fewer than min_rows rows fails, and so does an empty table;
    so do values that the metric has no meaning for, and more than max_dropped rows without a value. With confidence a slice fails
    only where its interval lies beyond a bound; with strict as well, wherever it does not lie within. -#}
{% test metric_between(model, metric, min_value=none, max_value=none, min_rows=1, max_dropped=none, confidence=none, cluster=none, strict=false, anytime=false, by=none, column_name=none, label=none, score=none, prediction=none, group=none, item=none, rank=none, tie_key=none, weight=none, positives=none, total=none, group_weight=none, field=none, p_price=none, p_survive=none, won=none, reward=none, propensity=none, target=none, q_action=none, q_policy=none, lower_bound=none, upper_bound=none, treatment=none, duration=none, subtopic=none, judgments=none, catalog=none, similarity=none, popularity=none, group_column=none) -%}
{%- set score = column_name if score is none else score -%}
{%- set group = sqlmetrics.group_of_test('metric_between', group, group_column) -%}
{%- set roles = {'label': label, 'score': score, 'prediction': prediction, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': group_weight, 'field': field, 'p_price': p_price, 'p_survive': p_survive, 'won': won, 'reward': reward, 'propensity': propensity, 'target': target, 'q_action': q_action, 'q_policy': q_policy, 'lower_bound': lower_bound, 'upper_bound': upper_bound, 'treatment': treatment, 'duration': duration, 'subtopic': subtopic} -%}
{%- set relations = {'judgments': judgments, 'catalog': catalog, 'similarity': similarity, 'popularity': popularity} -%}
{{ sqlmetrics.failures_between('metric_between', model, metric, roles, relations, by, min_value, max_value, min_rows, 'fail', max_dropped, confidence, cluster, strict, anytime) }}
{%- endtest %}
