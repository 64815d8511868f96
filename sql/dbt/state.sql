{#- One day's log (or any part of it) as a small table that merges with others by addition: one row per slice and distinct
    score, or per slice and score bin. The body of an incremental model whose `by` holds the day; state_metrics reads it. With
    buckets and cluster it has such rows for each bucket of clusters, so that state_metrics can tell how sure it is. -#}
{%- macro score_state(relation=none, label=none, score=none, weight=none, positives=none, total=none, bins=none, eps=2.220446049250313e-16, by=none, where=none, buckets=none, cluster=none) -%}
{%- if bins is not none and (bins is not number or bins is boolean or bins < 1 or bins != bins | int) -%}
{%- do sqlmetrics.refuse('score_state', 'bins must be a whole number >= 1, not ' ~ bins) -%}
{%- endif -%}
{%- set roles = {'label': label, 'score': score, 'weight': weight, 'positives': positives, 'total': total} -%}
{%- set metrics = [{'name': 'log_loss', 'eps': eps}, 'brier', 'copc', 'pcoc'] -%}
{%- set q = sqlmetrics.plan_of_state('score_state', relation, metrics, roles, none, by, where, buckets, cluster) -%}
{%- set key = 'score' if bins is none else 'bin' -%}
{%- set columns = {'positives': 'sum(pos)', 'negatives': 'sum(neg)'} -%}
{%- do columns.update(sqlmetrics.columns_of_state('score_state', q.metrics)) -%}
{%- set binned = [] -%}
{%- if bins is not none -%}
{%- set rows_from = 'observations' if buckets is none else 'rows_in_buckets' -%}
{%- set carried = sqlmetrics.slice_columns(q) + (['weight'] if 'weight' in q.derived else []) + ([] if buckets is none else ['bucket']) -%}
{%- do binned.append(sqlmetrics.step('binned', sqlmetrics.bins_of_equal_width({'params': {'bins': bins}, 'where': ''}, rows_from, carried), 'the bin of every row', [rows_from])) -%}
{%- endif -%}
{{ sqlmetrics.written_state('score_state', q, {key: 'score_key'}, columns, binned, buckets) }}
{%- endmacro -%}

{#- The metrics of any part of a score_state: n, auc with auc_lower and auc_upper, ece, log_loss, brier, copc and pcoc. From
    exact scores auc is the AUC; from bins the true AUC lies between auc_lower and auc_upper, which count the pairs inside a
    bin as lost and as won, and ece is that of these bins (give binned=true for these three columns). The others are exact
    in both. Exact scores are also pre-aggregated rows, of which evaluate can ask any metric of a click:
    positives='positives', total='= positives + negatives', score='score_key'. From a state with buckets, confidence puts
    the ends of an interval beside auc, ece, log_loss, brier, copc and pcoc: by the values without each bucket. -#}
{%- macro state_metrics(relation=none, binned=false, by=none, where=none, confidence=none, standard_error=false) -%}
{%- if binned is not boolean -%}
{%- do sqlmetrics.refuse('state_metrics', 'binned must be true or false, not ' ~ binned) -%}
{%- endif -%}
{%- set slicing = sqlmetrics.slicing_of_state('state_metrics', relation, "ref('impressions_state')", by, where) -%}
{%- set of_scores = sqlmetrics.requested_metrics('state_metrics', [{'name': 'auc', 'bins': 1}, 'ece'] if binned else ['auc'], none) -%}
{%- set of_sums = sqlmetrics.requested_metrics('state_metrics', ['log_loss', 'brier', 'copc', 'pcoc'], none) -%}
{%- set certainty = sqlmetrics.certainty_of_state('state_metrics', relation, of_scores + of_sums, slicing, confidence, standard_error) -%}
{%- set additive = [] -%}
{%- for one in of_sums -%}
{#- Which column holds which sum is all that is asked here, not what was summed: the roles play no part. -#}
{%- do additive.append(sqlmetrics.state_of('state_metrics', sqlmetrics.planned_metric_of_state(one, [], certainty))) -%}
{%- endfor -%}
{%- set kept = ['positives', 'negatives'] -%}
{%- for m in additive -%}
{%- for column in m.state if column.name not in kept -%}{%- do kept.append(column.name) -%}{%- endfor -%}
{%- endfor -%}
{#- The rows of a state, added up, are those of the frames of auc and ece. -#}
{%- set metrics = [] -%}
{%- for one in of_scores -%}
{%- do metrics.append(dict(sqlmetrics.planned_metric_of_state(one, ['weight'], certainty), frame='thresholds')) -%}
{%- endfor -%}
{%- set carried = ['score_key', 'pos', 'neg', 'score_sum', 'row_count'] -%}
{%- set added = ['sum(positives) as pos', 'sum(negatives) as neg', 'sum(score_sum) as score_sum', 'sum(row_count) as row_count'] -%}
{%- for name in kept -%}
{%- do carried.append('state_' ~ name) -%}
{%- do added.append('sum(' ~ name ~ ') as state_' ~ name) -%}
{%- endfor -%}
{%- set merged -%}
select
    {{ sqlmetrics.lines(slicing.names + ['score_key'] + added) }}
from states
{{- sqlmetrics.group_by(slicing.names + ['score_key']) }}
{%- endset -%}
{%- set f = {'cte': 'thresholds', 'rows': 'one per slice and score or bin', 'two_level': not binned and sqlmetrics.default_shape() == 'two_level'} -%}
{%- set sums = [
    {'measure': 'pos', 'reach': 'here', 'as': 'true_positives'},
    {'measure': 'neg', 'reach': 'here', 'as': 'false_positives'},
    {'measure': 'pos', 'reach': 'all', 'as': 'positives'},
    {'measure': 'neg', 'reach': 'all', 'as': 'negatives'},
] -%}
{%- set steps = [
    sqlmetrics.states_step(relation, slicing, ['score_key', 'row_count'] + kept, where, certainty),
    sqlmetrics.step('merged', merged, 'one per slice and score or bin, of all parts', ['states'], stored=true),
] + sqlmetrics.running_sums(f, 'merged', slicing.names, 'score_key', ' desc', carried, {'pos': 'pos', 'neg': 'neg'}, sums) -%}
{%- if certainty is none -%}
{{ sqlmetrics.written_metrics_of_state(relation, slicing, steps, metrics + additive) }}
{%- else -%}
{%- set added_again = [] -%}
{%- for name in carried[1:] -%}{%- do added_again.append('sum(' ~ name ~ ') as ' ~ name) -%}{%- endfor -%}
{%- set without_buckets = sqlmetrics.states_without_buckets(slicing, ['score_key'], added, added_again)
    + sqlmetrics.running_sums(dict(f, cte='thresholds_without_buckets'), 'without_buckets', slicing.names + ['bucket_left_out'], 'score_key', ' desc', carried, {'pos': 'pos', 'neg': 'neg'}, sums) -%}
{{ sqlmetrics.written_intervals_of_state(relation, slicing, steps, without_buckets, metrics + additive, certainty) }}
{%- endif -%}
{%- endmacro -%}

{#- One day's log (or any part of it) as one row per slice that merges with others by addition: the sums that the metrics
    are made of. Takes any metrics that are quotients of sums over the rows: those of a threshold, of an error, the log
    losses, and so on. The body of an incremental model whose `by` holds the day; metrics_of_state reads it. With buckets and
    cluster it has a row for each bucket of clusters, so that metrics_of_state can tell how sure it is. -#}
{%- macro metric_state(relation=none, metrics=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, p_price=none, p_survive=none, won=none, reward=none, propensity=none, target=none, q_action=none, q_policy=none, preset=none, by=none, where=none, buckets=none, cluster=none) -%}
{%- set roles = {'label': label, 'score': score, 'prediction': prediction, 'weight': weight, 'positives': positives, 'total': total, 'p_price': p_price, 'p_survive': p_survive, 'won': won, 'reward': reward, 'propensity': propensity, 'target': target, 'q_action': q_action, 'q_policy': q_policy} -%}
{%- set q = sqlmetrics.plan_of_state('metric_state', relation, metrics, roles, preset, by, where, buckets, cluster) -%}
{{ sqlmetrics.written_state('metric_state', q, {}, sqlmetrics.columns_of_state('metric_state', q.metrics), [], buckets) }}
{%- endmacro -%}

{#- The metrics of any part of a metric_state, asked for just as the state was. A metric that the state was not built with
    is an unknown column; after a parameter has changed, the state is to be built anew (dbt run --full-refresh). From a state
    with buckets, confidence puts the ends of an interval beside each value: by the values without each bucket. -#}
{%- macro metrics_of_state(relation=none, metrics=none, preset=none, by=none, where=none, confidence=none, standard_error=false) -%}
{%- set slicing = sqlmetrics.slicing_of_state('metrics_of_state', relation, "ref('daily_sums')", by, where) -%}
{%- set requested = sqlmetrics.requested_metrics('metrics_of_state', metrics, preset) -%}
{%- set certainty = sqlmetrics.certainty_of_state('metrics_of_state', relation, requested, slicing, confidence, standard_error) -%}
{%- do sqlmetrics.check_names('metrics_of_state', requested, slicing.slicing, [], false, certainty) -%}
{%- set planned = [] -%}
{%- set kept = [] -%}
{%- set added = ['sum(row_count) as row_count'] -%}
{%- for one in requested -%}
{%- set m = sqlmetrics.state_of('metrics_of_state', sqlmetrics.planned_metric_of_state(one, [], certainty)) -%}
{%- do planned.append(m) -%}
{%- for column in m.state -%}
{%- set item = column.name ~ ' as state_' ~ column.name -%}
{%- if item not in kept -%}
{%- do kept.append(item) -%}
{%- do added.append(column.aggregate ~ '(state_' ~ column.name ~ ') as state_' ~ column.name) -%}
{%- endif -%}
{%- endfor -%}
{%- endfor -%}
{%- set steps = [sqlmetrics.states_step(relation, slicing, ['row_count'] + kept, where, certainty)] -%}
{%- if certainty is none -%}
{{ sqlmetrics.written_metrics_of_state(relation, slicing, steps, planned) }}
{%- else -%}
{{ sqlmetrics.written_intervals_of_state(relation, slicing, steps, sqlmetrics.states_without_buckets(slicing, [], added, added), planned, certainty) }}
{%- endif -%}
{%- endmacro -%}
