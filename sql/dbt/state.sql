{#- One day's log (or any part of it) as a small table that merges with others by addition: one row per slice and distinct
    score, or per slice and score bin. The body of an incremental model whose `by` holds the day; state_metrics reads it. -#}
{%- macro score_state(relation=none, label=none, score=none, weight=none, positives=none, total=none, bins=none, eps=2.220446049250313e-16, by=none, where=none) -%}
{%- if bins is not none and (bins is not number or bins is boolean or bins < 1 or bins != bins | int) -%}
{%- do sqlmetrics.refuse('score_state', 'bins must be a whole number >= 1, not ' ~ bins) -%}
{%- endif -%}
{%- set roles = {'label': label, 'score': score, 'weight': weight, 'positives': positives, 'total': total} -%}
{%- set metrics = [{'name': 'log_loss', 'eps': eps}, 'brier', 'copc', 'pcoc'] -%}
{%- set q = sqlmetrics.plan(sqlmetrics.call_of('score_state', relation, metrics, roles, {}, none, by, where, none)) -%}
{%- set key = 'score' if bins is none else 'bin' -%}
{%- set columns = {'positives': 'sum(pos)', 'negatives': 'sum(neg)'} -%}
{%- do columns.update(sqlmetrics.columns_of_state('score_state', q.metrics)) -%}
{%- set binned = [] -%}
{%- if bins is not none -%}
{%- set names = sqlmetrics.slice_columns(q) -%}
{%- set carried = ['weight'] if 'weight' in q.derived else [] -%}
{%- do binned.append(sqlmetrics.step('binned', sqlmetrics.bins_of_equal_width({'params': {'bins': bins}, 'where': ''}, 'observations', names + carried), 'the bin of every row', ['observations'])) -%}
{%- endif -%}
{{ sqlmetrics.written_state('score_state', q, {key: 'score_key'}, columns, binned) }}
{%- endmacro -%}

{#- The metrics of any part of a score_state: n, auc with auc_lower and auc_upper, ece, log_loss, brier, copc and pcoc. From
    exact scores auc is the AUC; from bins the true AUC lies between auc_lower and auc_upper, which count the pairs inside a
    bin as lost and as won, and ece is that of these bins (give binned=true for these three columns). The others are exact
    in both. Exact scores are also pre-aggregated rows, of which evaluate can ask any metric of a click:
    positives='positives', total='= positives + negatives', score='score_key'. -#}
{%- macro state_metrics(relation=none, binned=false, by=none, where=none) -%}
{%- if binned is not boolean -%}
{%- do sqlmetrics.refuse('state_metrics', 'binned must be true or false, not ' ~ binned) -%}
{%- endif -%}
{%- set slicing = sqlmetrics.slicing_of_state('state_metrics', relation, "ref('impressions_state')", by, where) -%}
{%- set additive = [] -%}
{%- for one in sqlmetrics.requested_metrics('state_metrics', ['log_loss', 'brier', 'copc', 'pcoc'], none) -%}
{#- Which column holds which sum is all that is asked here, not what was summed: the roles play no part. -#}
{%- do additive.append(sqlmetrics.state_of('state_metrics', sqlmetrics.planned_metric(one, [], {}, {}, false, false, 'group'))) -%}
{%- endfor -%}
{%- set kept = ['positives', 'negatives'] -%}
{%- for m in additive -%}
{%- for column in m.state if column.name not in kept -%}{%- do kept.append(column.name) -%}{%- endfor -%}
{%- endfor -%}
{#- The rows of a state, added up, are those of the frames of auc and ece. -#}
{%- set metrics = [] -%}
{%- for one in sqlmetrics.requested_metrics('state_metrics', [{'name': 'auc', 'bins': 1}, 'ece'] if binned else ['auc'], none) -%}
{%- do metrics.append(dict(sqlmetrics.planned_metric(one, ['weight'], {}, {}, false, false, 'group'), frame='thresholds')) -%}
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
    sqlmetrics.states_step(relation, slicing, ['score_key', 'row_count'] + kept, where),
    sqlmetrics.step('merged', merged, 'one per slice and score or bin, of all parts', ['states'], stored=true),
] + sqlmetrics.running_sums(f, 'merged', slicing.names, 'score_key', ' desc', carried, {'pos': 'pos', 'neg': 'neg'}, sums) -%}
{{ sqlmetrics.written_metrics_of_state(relation, slicing, steps, metrics + additive) }}
{%- endmacro -%}

{#- One day's log (or any part of it) as one row per slice that merges with others by addition: the sums that the metrics
    are made of. Takes any metrics that are quotients of sums over the rows: those of a threshold, of an error, the log
    losses, and so on. The body of an incremental model whose `by` holds the day; metrics_of_state reads it. -#}
{%- macro metric_state(relation=none, metrics=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, p_price=none, p_survive=none, won=none, preset=none, by=none, where=none) -%}
{%- set roles = {'label': label, 'score': score, 'prediction': prediction, 'weight': weight, 'positives': positives, 'total': total, 'p_price': p_price, 'p_survive': p_survive, 'won': won} -%}
{%- set q = sqlmetrics.plan(sqlmetrics.call_of('metric_state', relation, metrics, roles, {}, preset, by, where, none)) -%}
{{ sqlmetrics.written_state('metric_state', q, {}, sqlmetrics.columns_of_state('metric_state', q.metrics), []) }}
{%- endmacro -%}

{#- The metrics of any part of a metric_state, asked for just as the state was. A metric that the state was not built with
    is an unknown column; after a parameter has changed, the state is to be built anew (dbt run --full-refresh). -#}
{%- macro metrics_of_state(relation=none, metrics=none, preset=none, by=none, where=none) -%}
{%- set slicing = sqlmetrics.slicing_of_state('metrics_of_state', relation, "ref('daily_sums')", by, where) -%}
{%- set requested = sqlmetrics.requested_metrics('metrics_of_state', metrics, preset) -%}
{%- do sqlmetrics.check_names('metrics_of_state', requested, slicing.slicing, [], false) -%}
{%- set planned = [] -%}
{%- set kept = [] -%}
{%- for one in requested -%}
{%- set m = sqlmetrics.state_of('metrics_of_state', sqlmetrics.planned_metric(one, [], {}, {}, false, false, 'group')) -%}
{%- do planned.append(m) -%}
{%- for column in m.state -%}
{%- set item = column.name ~ ' as state_' ~ column.name -%}
{%- if item not in kept -%}{%- do kept.append(item) -%}{%- endif -%}
{%- endfor -%}
{%- endfor -%}
{{ sqlmetrics.written_metrics_of_state(relation, slicing, [sqlmetrics.states_step(relation, slicing, ['row_count'] + kept, where)], planned) }}
{%- endmacro -%}
