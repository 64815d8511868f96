{#- Store one day's log (or any part of it) as a small table: one row per slice and distinct score, or per slice and score bin. Such
    tables merge by addition. Use it as the body of an incremental model whose `by` includes the day; state_metrics reads it. With
    buckets and cluster the state has rows for each bucket of clusters, so that state_metrics supports confidence. -#}
{%- macro score_state(relation=none, label=none, score=none, weight=none, positives=none, total=none, bins=none, eps=2.220446049250313e-16, by=none, where=none, buckets=none, cluster=none, range=none, previous=none, previous_where=none) -%}
{%- if execute -%}
{%- set roles = {'label': label, 'score': score, 'weight': weight, 'positives': positives, 'total': total} -%}
{%- set call = sqlmetrics.call_of('score_state', relation, none, roles, {}, {'by': by, 'where': where, 'cluster': cluster}) -%}
{{ sqlmetrics.state_of_call(sqlmetrics.planned_state(call, buckets, {'bins': bins, 'eps': eps, 'range': range}), previous, previous_where) }}
{%- endif -%}
{%- endmacro -%}

{#- Compute the metrics of any part of a score_state: n, auc, ece, log_loss, brier, copc and pcoc, or those in metrics. From exact
    scores auc is exact. From bins (pass binned=true) the exact AUC is between auc_lower and auc_upper, which count the pairs inside a
    bin as wrong and as right, and ece uses these bins. The other metrics are exact in both cases. Scores outside [0, 1] support AUC
    only. Exact scores are also pre-aggregated rows for evaluate: positives='positives', total='= positives + negatives',
    score='score_key'. With buckets in the state, confidence adds an interval to auc, ece, log_loss, brier, copc and pcoc, by dropping
    each bucket in turn. The statement fails, and names the problem, for parts with different bins, range, eps or weight, and for a
    repeated state_key. -#}
{%- macro state_metrics(relation=none, binned=false, by=none, where=none, confidence=none, standard_error=false, metrics=none, round=none) -%}
{%- if execute -%}
{%- set call = {'macro': 'state_metrics', 'metrics': metrics, 'preset': none, 'by': by, 'where': where, 'confidence': confidence, 'standard_error': standard_error, 'round': round, 'relations': {}} -%}
{{ sqlmetrics.statement_of_state(sqlmetrics.planned_reading(sqlmetrics.state_of_dbt(relation), call, {'binned': binned})) }}
{%- endif -%}
{%- endmacro -%}

{#- Store one day's log (or any part of it) as one row per slice with the sums behind the metrics. Such rows merge by addition. It
    supports metrics that are quotients of sums over rows, such as threshold metrics, errors and log losses, also around their mean (R²
    and similar). It supports means over groups (GAUC and ranking metrics). Metrics that count by class or by field value add a row for
    each pair of classes or value, and metrics of recommender lists add a row for each item. A group belongs to one slice, so pass a
    session or a query as group, or include the day in it. Use it as the body of an incremental model whose `by` includes the day;
    metrics_of_state reads it. With buckets and cluster the state has a row for each bucket of clusters, so that metrics_of_state
    supports confidence. -#}
{%- macro metric_state(relation=none, metrics=none, preset=none, by=none, where=none, buckets=none, cluster=none, previous=none, previous_where=none) -%}
{%- set inputs = sqlmetrics.roles_and_relations('metric_state', kwargs, ['relation', 'metrics', 'preset', 'by', 'where', 'buckets', 'cluster', 'previous', 'previous_where']) -%}
{%- if execute -%}
{%- set call = sqlmetrics.call_of('metric_state', relation, metrics, inputs.roles, inputs.relations, {'preset': preset, 'by': by, 'where': where, 'cluster': cluster}) -%}
{{ sqlmetrics.state_of_call(sqlmetrics.planned_state(call, buckets), previous, previous_where) }}
{%- endif -%}
{%- endmacro -%}

{#- Compute the metrics of any part of a metric_state: those of the state, with the same parameters, or some of them. The statement
    fails for a metric or parameter that some part lacks, for parts with different columns or weights, and for a repeated state_key. In
    that case read fewer parts, or rebuild the state (dbt run --full-refresh). With buckets in the state, confidence adds an interval to
    each value, by dropping each bucket in turn. For states of lists, catalog and popularity are those at the time of reading. -#}
{%- macro metrics_of_state(relation=none, metrics=none, preset=none, by=none, where=none, confidence=none, standard_error=false, round=none, item=none, catalog=none, popularity=none) -%}
{%- if execute -%}
{%- set call = sqlmetrics.call_of('metrics_of_state', relation, metrics, {}, {'catalog': catalog, 'popularity': popularity}, {'preset': preset, 'by': by, 'where': where, 'confidence': confidence, 'standard_error': standard_error, 'round': round}) -%}
{%- set relations = sqlmetrics.relations_of_states('metrics_of_state', metrics, preset, call.relations, item) -%}
{{ sqlmetrics.statement_of_state(sqlmetrics.planned_reading(sqlmetrics.state_of_dbt(relation), dict(call, relations=relations))) }}
{%- endif -%}
{%- endmacro -%}
