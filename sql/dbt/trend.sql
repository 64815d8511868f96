{#- How a metric goes from one period to the next, and whether it falls: a row per slice and period with its value, the mean of the
    trailing periods and the band in which it was to be expected. Without confidence the band is the median of the trailing
    values, give or take `deviations` of their robust standard deviations (1.4826 times the median distance from the median;
    where that is 0, 1.2533 times the mean distance); a modified z score of 3.5 is Iglewicz and Hoaglin's (1993). With confidence it is their
    mean, give or take the interval of the difference from it, by the standard errors of the periods (by cluster, when given), as
    if no two periods shared a cluster. `falling` says whether the value lies beyond the band on the worse side; it is NULL with
    fewer than min_periods trailing periods. Periods of fewer than min_rows rows are not among these. -#}
{%- macro metric_trend(relation=none, metric=none, time=none, trailing=14, by=none, where=none, better=none, tolerance=0, deviations=3.5, min_periods=none, min_rows=1, confidence=none, cluster=none, label=none, score=none, prediction=none, group=none, item=none, rank=none, tie_key=none, weight=none, positives=none, total=none, group_weight=none, field=none, p_price=none, p_survive=none, won=none, reward=none, propensity=none, position=none, target=none, q_action=none, q_policy=none, lower_bound=none, upper_bound=none, treatment=none, duration=none, subtopic=none, judgments=none, catalog=none, similarity=none, popularity=none, history=none, item_categories=none, expected_items=none, embeddings=none, propensities=none, round=none) -%}
{%- do sqlmetrics.check_digits('metric_trend', round) -%}
{%- set roles = {'label': label, 'score': score, 'prediction': prediction, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': group_weight, 'field': field, 'p_price': p_price, 'p_survive': p_survive, 'won': won, 'reward': reward, 'propensity': propensity, 'position': position, 'target': target, 'q_action': q_action, 'q_policy': q_policy, 'lower_bound': lower_bound, 'upper_bound': upper_bound, 'treatment': treatment, 'duration': duration, 'subtopic': subtopic} -%}
{%- set relations = {'judgments': judgments, 'catalog': catalog, 'similarity': similarity, 'popularity': popularity, 'history': history, 'item_categories': item_categories, 'expected_items': expected_items, 'embeddings': embeddings, 'propensities': propensities} -%}
{%- set trend = sqlmetrics.planned_trend('metric_trend', relation, metric, roles, relations, time, trailing, by, where, better, tolerance, deviations, min_periods, min_rows, confidence, cluster) -%}
-- how {{ sqlmetrics.comment_text(trend.q.title) }} goes
{{ sqlmetrics.give_line_breaks(sqlmetrics.rounded_trend(trend, round)) }}
{{- '\norder by\n    ' ~ sqlmetrics.lines(trend.in_order) }}
{{- sqlmetrics.statement_end() }}
{%- endmacro -%}
