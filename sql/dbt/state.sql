{#- One day's log (or any part of it) as a small table that merges with others by addition: one row per slice and distinct
    score, or per slice and score bin. The body of an incremental model whose `by` holds the day; state_metrics reads it. With
    buckets and cluster it has such rows for each bucket of clusters, so that state_metrics can tell how sure it is. -#}
{%- macro score_state(relation=none, label=none, score=none, weight=none, positives=none, total=none, bins=none, eps=2.220446049250313e-16, by=none, where=none, buckets=none, cluster=none, range=none, previous=none, previous_where=none) -%}
{%- if bins is not none and (bins is not number or bins is boolean or bins < 1 or bins != bins | int) -%}
{%- do sqlmetrics.refuse('score_state', 'bins must be a whole number >= 1, not ' ~ bins) -%}
{%- endif -%}
{%- set ends = sqlmetrics.range_of_scores(range) -%}
{%- set roles = {'label': label, 'score': score, 'weight': weight, 'positives': positives, 'total': total} -%}
{%- set metrics = [{'name': 'log_loss', 'eps': eps}, 'brier', 'copc', 'pcoc'] -%}
{%- set q = sqlmetrics.plan_of_state('score_state', relation, metrics, roles, none, by, where, buckets, cluster) -%}
{%- set columns = {'positives': 'sum(pos)', 'negatives': 'sum(neg)'} -%}
{%- if ends.probabilities -%}{%- do columns.update(sqlmetrics.columns_of_state('score_state', q.metrics)) -%}{%- endif -%}
{%- set rows_from = 'observations' if buckets is none else 'rows_in_buckets' -%}
{%- set carried = sqlmetrics.slice_columns(q) + (['weight'] if 'weight' in q.derived else []) + ([] if buckets is none else ['bucket']) -%}
{%- set keyed = sqlmetrics.step('scores_with_keys', sqlmetrics.scores_with_keys(rows_from, carried, bins, ends), 'every row with its score' ~ (' bin' if bins is not none), [rows_from]) -%}
{%- set made_with = sqlmetrics.settings_of_scores(bins, ends, eps, q.roles) -%}
{{ sqlmetrics.written_state('score_state', q, {'score_key': 'score_key'}, columns, [keyed], buckets, made_with, previous, previous_where) }}
{%- endmacro -%}

{#- The metrics of any part of a score_state: n, auc with auc_lower and auc_upper, ece, log_loss, brier, copc and pcoc, or those
    that metrics names. From exact scores auc is the AUC; from bins the true AUC lies between auc_lower and auc_upper, which count
    the pairs inside a bin as lost and as won, and ece is that of these bins (give binned=true for these three columns). The others
    are exact in both; scores that are no probabilities have an AUC alone. Exact scores are also pre-aggregated rows, of which
    evaluate can ask any metric of a click: positives='positives', total='= positives + negatives', score='score_key'. From a
    state with buckets, confidence puts the ends of an interval beside auc, ece, log_loss, brier, copc and pcoc: by the values
    without each bucket. Parts that were made with other bins, another range, eps or weight are not added up: the statement
    fails and says which. -#}
{%- macro state_metrics(relation=none, binned=false, by=none, where=none, confidence=none, standard_error=false, metrics=none) -%}
{%- if binned is not boolean -%}
{%- do sqlmetrics.refuse('state_metrics', 'binned must be true or false, not ' ~ binned) -%}
{%- endif -%}
{%- set asked = sqlmetrics.metrics_of_scores(metrics, binned) -%}
{%- set slicing = sqlmetrics.slicing_of_state('state_metrics', relation, "ref('impressions_state')", by, where) -%}
{%- set of_scores = sqlmetrics.requested_metrics('state_metrics', asked.of_scores, none) if asked.of_scores else [] -%}
{%- set of_sums = sqlmetrics.requested_metrics('state_metrics', asked.of_sums, none) if asked.of_sums else [] -%}
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
{%- set measured = [] -%}
{%- for one in of_scores -%}
{%- do measured.append(dict(sqlmetrics.planned_metric_of_state(one, ['weight'], certainty), frame='thresholds')) -%}
{%- endfor -%}
{%- for one in of_scores if one.metric.name == 'ece' and 'score_sum' not in kept -%}{%- do kept.append('score_sum') -%}{%- endfor -%}
{%- set carried = ['score_key', 'pos', 'neg'] + (['score_sum'] if 'score_sum' in kept else []) + ['row_count'] -%}
{%- set added = ['sum(positives) as pos', 'sum(negatives) as neg'] + (['sum(score_sum) as score_sum'] if 'score_sum' in kept else []) + ['sum(row_count) as row_count'] -%}
{%- for name in kept -%}
{%- do carried.append('state_' ~ name) -%}
{%- do added.append('sum(' ~ name ~ ') as state_' ~ name) -%}
{%- endfor -%}
{%- set read = {} -%}
{%- for name in ['score_key', 'row_count'] + kept -%}{%- do read.update({name: name}) -%}{%- endfor -%}
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
{%- set steps = sqlmetrics.steps_of_parts('state_metrics', relation, slicing, read, where, certainty, sqlmetrics.needs_of_scores(binned, of_sums)) + [
    sqlmetrics.step('merged', merged, 'one per slice and score or bin, of all parts', ['states'], stored=true),
] + sqlmetrics.running_sums(f, 'merged', slicing.names, 'score_key', ' desc', carried, {'pos': 'pos', 'neg': 'neg'}, sums) -%}
{%- if certainty is none -%}
{{ sqlmetrics.written_metrics_of_state(relation, slicing, steps, measured + additive) }}
{%- else -%}
{%- set added_again = [] -%}
{%- for name in carried[1:] -%}{%- do added_again.append('sum(' ~ name ~ ') as ' ~ name) -%}{%- endfor -%}
{%- set without_buckets = sqlmetrics.states_without_buckets(slicing, ['score_key'], added, added_again)
    + sqlmetrics.running_sums(dict(f, cte='thresholds_without_buckets'), 'without_buckets', slicing.names + ['bucket_left_out'], 'score_key', ' desc', carried, {'pos': 'pos', 'neg': 'neg'}, sums) -%}
{{ sqlmetrics.written_intervals_of_state(relation, slicing, steps, without_buckets, measured + additive, certainty) }}
{%- endif -%}
{%- endmacro -%}

{#- One day's log (or any part of it) as one row per slice that merges with others by addition: the sums that the metrics
    are made of. Takes any metrics that are quotients of sums over the rows (those of a threshold, of an error, the log losses,
    and so on) or over groups (GAUC and those of ranking): a group is then what it is within its slice, so give a session or
    a query as group, or put the day into it. The body of an incremental model whose `by` holds the day; metrics_of_state reads it. With buckets and
    cluster it has a row for each bucket of clusters, so that metrics_of_state can tell how sure it is. -#}
{%- macro metric_state(relation=none, metrics=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, p_price=none, p_survive=none, won=none, reward=none, propensity=none, target=none, q_action=none, q_policy=none, preset=none, by=none, where=none, buckets=none, cluster=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, judgments=none, previous=none, previous_where=none) -%}
{%- set roles = {'label': label, 'score': score, 'prediction': prediction, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': group_weight, 'p_price': p_price, 'p_survive': p_survive, 'won': won, 'reward': reward, 'propensity': propensity, 'target': target, 'q_action': q_action, 'q_policy': q_policy} -%}
{%- set q = sqlmetrics.plan_of_state('metric_state', relation, metrics, roles, preset, by, where, buckets, cluster, {'judgments': judgments}) -%}
{%- set columns = sqlmetrics.columns_of_state('metric_state', q.metrics) -%}
{{ sqlmetrics.written_state('metric_state', q, {}, columns, [], buckets, sqlmetrics.settings_of_metrics(q), previous, previous_where) }}
{%- endmacro -%}

{#- The metrics of any part of a metric_state, asked for just as the state was, or some of them. A metric, or a parameter, that the
    state was not built with is refused, and so are parts that were built with others: build the state anew then (dbt run
    --full-refresh). From a state with buckets, confidence puts the ends of an interval beside each value: by the values
    without each bucket. -#}
{%- macro metrics_of_state(relation=none, metrics=none, preset=none, by=none, where=none, confidence=none, standard_error=false) -%}
{%- set slicing = sqlmetrics.slicing_of_state('metrics_of_state', relation, "ref('daily_sums')", by, where) -%}
{%- set requested = sqlmetrics.requested_metrics('metrics_of_state', metrics, preset) -%}
{%- set certainty = sqlmetrics.certainty_of_state('metrics_of_state', relation, requested, slicing, confidence, standard_error) -%}
{%- do sqlmetrics.check_names('metrics_of_state', requested, slicing.slicing, [], false, certainty) -%}
{%- set planned = [] -%}
{%- set kept = {'row_count': 'row_count'} -%}
{%- set added = ['sum(row_count) as row_count'] -%}
{%- for one in requested -%}
{%- set m = sqlmetrics.state_of('metrics_of_state', sqlmetrics.planned_metric_of_state(one, [], certainty)) -%}
{%- do planned.append(m) -%}
{%- for column in m.state -%}
{%- if 'state_' ~ column.name not in kept -%}
{%- do kept.update({'state_' ~ column.name: column.name}) -%}
{%- do added.append(column.aggregate ~ '(state_' ~ column.name ~ ') as state_' ~ column.name) -%}
{%- endif -%}
{%- endfor -%}
{%- endfor -%}
{%- set steps = sqlmetrics.steps_of_parts('metrics_of_state', relation, slicing, kept, where, certainty, sqlmetrics.needs_of_metrics(requested)) -%}
{%- if certainty is none -%}
{{ sqlmetrics.written_metrics_of_state(relation, slicing, steps, planned) }}
{%- else -%}
{{ sqlmetrics.written_intervals_of_state(relation, slicing, steps, sqlmetrics.states_without_buckets(slicing, [], added, added), planned, certainty) }}
{%- endif -%}
{%- endmacro -%}
