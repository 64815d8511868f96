{#- A metric is not worse than the champion's, in every slice, by more than the tolerance. The champion is another score,
    compared on the rows that have both, the same columns of another relation, or both. With confidence, a slice fails only where
    it is worse by more than the tolerance and chance; with strict as well, unless it is sure that it is not. -#}
{% test metric_not_worse_than(model, metric, champion_score=none, champion_relation=none, tolerance=0, better=none, min_rows=1, max_dropped=none, confidence=none, cluster=none, strict=false, anytime=false, by=none, column_name=none, label=none, score=none, prediction=none, group=none, item=none, rank=none, tie_key=none, weight=none, positives=none, total=none, group_weight=none, field=none, p_price=none, p_survive=none, won=none, reward=none, propensity=none, target=none, q_action=none, q_policy=none, treatment=none, judgments=none, catalog=none, similarity=none, popularity=none, group_column=none) -%}
{%- set score = column_name if score is none else score -%}
{%- set group = sqlmetrics.group_of_test('metric_not_worse_than', group, group_column) -%}
{%- set roles = {'label': label, 'score': score, 'prediction': prediction, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': group_weight, 'field': field, 'p_price': p_price, 'p_survive': p_survive, 'won': won, 'reward': reward, 'propensity': propensity, 'target': target, 'q_action': q_action, 'q_policy': q_policy, 'treatment': treatment} -%}
{%- set relations = {'judgments': judgments, 'catalog': catalog, 'similarity': similarity, 'popularity': popularity} -%}
{{ sqlmetrics.failures_against('metric_not_worse_than', model, metric, roles, relations, by, champion_relation, champion_score, tolerance, better, min_rows, max_dropped, confidence, cluster, strict, anytime) }}
{%- endtest %}
