{#- The last period of a metric is no worse than its trailing periods let expect, in every slice: by the median and the spread of their
    values, or with confidence by more than chance (see metric_trend, whose last row it judges). A slice without rows in the last
    period fails, and so do fewer than min_periods trailing periods, values that the metric has no meaning for, and more than
    max_dropped rows without a value. -#}
{% test metric_not_falling(model, metric, time, trailing=14, by=none, better=none, tolerance=0, deviations=3.5, min_periods=none, min_rows=1, max_dropped=none, confidence=none, cluster=none, column_name=none, label=none, score=none, prediction=none, group=none, item=none, rank=none, tie_key=none, weight=none, positives=none, total=none, group_weight=none, field=none, p_price=none, p_survive=none, won=none, reward=none, propensity=none, target=none, q_action=none, q_policy=none, lower_bound=none, upper_bound=none, treatment=none, duration=none, subtopic=none, judgments=none, catalog=none, similarity=none, popularity=none, group_column=none) -%}
{%- set score = column_name if score is none else score -%}
{%- set group = sqlmetrics.group_of_test('metric_not_falling', group, group_column) -%}
{%- set roles = {'label': label, 'score': score, 'prediction': prediction, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': group_weight, 'field': field, 'p_price': p_price, 'p_survive': p_survive, 'won': won, 'reward': reward, 'propensity': propensity, 'target': target, 'q_action': q_action, 'q_policy': q_policy, 'lower_bound': lower_bound, 'upper_bound': upper_bound, 'treatment': treatment, 'duration': duration, 'subtopic': subtopic} -%}
{%- set relations = {'judgments': judgments, 'catalog': catalog, 'similarity': similarity, 'popularity': popularity} -%}
{{ sqlmetrics.failures_of_trend('metric_not_falling', model, metric, roles, relations, time, trailing, by, better, tolerance, deviations, min_periods, min_rows, max_dropped, confidence, cluster) }}
{%- endtest %}
