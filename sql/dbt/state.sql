{#- One day's log (or any part of it) as a small table that merges with others by addition: one row per slice and distinct
    score, or per slice and score bin. The body of an incremental model whose `by` holds the day; state_metrics reads it. With
    buckets and cluster it has such rows for each bucket of clusters, so that state_metrics can tell how sure it is. -#}
{%- macro score_state(relation=none, label=none, score=none, weight=none, positives=none, total=none, bins=none, eps=2.220446049250313e-16, by=none, where=none, buckets=none, cluster=none, range=none, previous=none, previous_where=none) -%}
{%- if execute -%}
{%- set roles = {'label': label, 'score': score, 'weight': weight, 'positives': positives, 'total': total} -%}
{%- set call = sqlmetrics.call_of('score_state', relation, none, roles, {}, {'by': by, 'where': where, 'cluster': cluster}) -%}
{{ sqlmetrics.state_of_call(sqlmetrics.planned_state(call, buckets, {'bins': bins, 'eps': eps, 'range': range}), previous, previous_where) }}
{%- endif -%}
{%- endmacro -%}

{#- The metrics of any part of a score_state: n, auc with auc_lower and auc_upper, ece, log_loss, brier, copc and pcoc, or those
    that metrics names. From exact scores auc is the AUC; from bins the true AUC lies between auc_lower and auc_upper, which count
    the pairs inside a bin as lost and as won, and ece is that of these bins (give binned=true for these three columns). The others
    are exact in both; scores that are no probabilities have an AUC alone. Exact scores are also pre-aggregated rows, of which
    evaluate can ask any metric of a click: positives='positives', total='= positives + negatives', score='score_key'. From a
    state with buckets, confidence puts the ends of an interval beside auc, ece, log_loss, brier, copc and pcoc: by the values
    without each bucket. Parts that were made with other bins, another range, eps or weight are not added up, nor are two
    rows with one state_key: the statement fails and says which. -#}
{%- macro state_metrics(relation=none, binned=false, by=none, where=none, confidence=none, standard_error=false, metrics=none, round=none) -%}
{%- if execute -%}
{%- if binned is not boolean -%}
{%- do sqlmetrics.raise_error('state_metrics', 'binned must be true or false, not ' ~ sqlmetrics.shown(binned)) -%}
{%- endif -%}
{%- set call = {'macro': 'state_metrics', 'metrics': metrics, 'preset': none, 'by': by, 'where': where, 'confidence': confidence, 'standard_error': standard_error, 'round': round, 'relations': {}} -%}
{{ sqlmetrics.statement_of_state(sqlmetrics.planned_reading(sqlmetrics.state_of_dbt(relation), call, {'binned': binned})) }}
{%- endif -%}
{%- endmacro -%}

{#- One day's log (or any part of it) as one row per slice that merges with others by addition: the sums that the metrics
    are made of. Takes any metrics that are quotients of sums over the rows (those of a threshold, of an error, the log losses,
    and so on), also around their mean (R² and its kin), or over groups (GAUC and those of ranking), or that are counted by class
    or by the value of a field: these have a row for each pair of classes, or value, too; and those of recommender lists, which have
    one for each item. A group is what it is within its slice, so give a session or a query as group, or put the day into it.
    The body of an incremental model whose `by` holds the day; metrics_of_state reads it. With buckets and cluster it has a row
    for each bucket of clusters, so that metrics_of_state can tell how sure it is. -#}
{%- macro metric_state(relation=none, metrics=none, preset=none, by=none, where=none, buckets=none, cluster=none, previous=none, previous_where=none) -%}
{%- set inputs = sqlmetrics.roles_and_relations('metric_state', kwargs, ['relation', 'metrics', 'preset', 'by', 'where', 'buckets', 'cluster', 'previous', 'previous_where']) -%}
{%- if execute -%}
{%- set call = sqlmetrics.call_of('metric_state', relation, metrics, inputs.roles, inputs.relations, {'preset': preset, 'by': by, 'where': where, 'cluster': cluster}) -%}
{{ sqlmetrics.state_of_call(sqlmetrics.planned_state(call, buckets), previous, previous_where) }}
{%- endif -%}
{%- endmacro -%}

{#- The metrics of any part of a metric_state, asked for just as the state was, or some of them. A metric, or a parameter, that some
    part was not built with is refused, and so are parts of other columns or weights, and two rows with one state_key: read
    fewer parts, or build the state anew (dbt run --full-refresh). From a state with buckets, confidence puts the ends of an interval beside each value: by the values
    without each bucket. The catalogue and the popularity of items are those of the day on which a state of lists is read. -#}
{%- macro metrics_of_state(relation=none, metrics=none, preset=none, by=none, where=none, confidence=none, standard_error=false, round=none, item=none, catalog=none, popularity=none) -%}
{%- if execute -%}
{%- set call = sqlmetrics.call_of('metrics_of_state', relation, metrics, {}, {'catalog': catalog, 'popularity': popularity}, {'preset': preset, 'by': by, 'where': where, 'confidence': confidence, 'standard_error': standard_error, 'round': round}) -%}
{%- set relations = sqlmetrics.relations_of_states('metrics_of_state', metrics, preset, call.relations, item) -%}
{{ sqlmetrics.statement_of_state(sqlmetrics.planned_reading(sqlmetrics.state_of_dbt(relation), dict(call, relations=relations))) }}
{%- endif -%}
{%- endmacro -%}
