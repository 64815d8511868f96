{#- One day's log (or any part of it) as a small table that merges with others by addition: one row per slice and distinct
    score, or per slice and score bin. The body of an incremental model whose `by` holds the day; state_metrics reads it. -#}
{%- macro score_state(relation=none, label=none, score=none, weight=none, positives=none, total=none, bins=none, eps=2.220446049250313e-16, by=none, where=none) -%}
{%- if bins is not none and (bins is not number or bins is boolean or bins < 1 or bins != bins | int) -%}
{%- do sqlmetrics.refuse('score_state', 'bins must be a whole number >= 1, not ' ~ bins) -%}
{%- endif -%}
{%- set roles = {'label': label, 'score': score, 'weight': weight, 'positives': positives, 'total': total} -%}
{%- set metric = {'name': 'log_loss', 'eps': eps} -%}
{%- set q = sqlmetrics.plan(sqlmetrics.call_of('score_state', relation, [metric], roles, {}, none, by, where, none)) -%}
{%- if q.groupings or q.models -%}
{%- do sqlmetrics.refuse('score_state', 'by is one list of columns, and score one column') -%}
{%- endif -%}
{%- set keys = [] -%}
{%- set items = [] -%}
{%- for entry in q.by -%}
{%- if entry.name | lower in sqlmetrics.state_columns() -%}
{%- do sqlmetrics.refuse('score_state', "by: '" ~ entry.name ~ "' is the name of a column of every state; name it as in by=['my_name = " ~ entry.name ~ "']") -%}
{%- endif -%}
{%- do keys.append('slice_' ~ loop.index) -%}
{%- do items.append('slice_' ~ loop.index ~ ' as ' ~ sqlmetrics.identifier(entry.name)) -%}
{%- endfor -%}
{%- set key = 'score' if bins is none else 'bin' -%}
{%- set least = sqlmetrics.number(q.metrics[0].eps) -%}
{%- set observed = sqlmetrics.observations(q, keys, q.columns | list, q.required, 'source') -%}
-- state of {{ sqlmetrics.comment_text(q.relation) }}
with
{{ sqlmetrics.give_line_breaks(sqlmetrics.cte('source', sqlmetrics.source(q))) }},
{{ sqlmetrics.cte('observations', observed) }}{{ ',' if bins is not none }}
{%- if bins is not none %}
{{ sqlmetrics.cte('binned', sqlmetrics.bins_of_equal_width({'params': {'bins': bins}, 'checks': false, 'where': ''}, 'observations', keys)) }}
{%- endif %}
select
    {{ sqlmetrics.lines(items + [
        key ~ ' as score_key',
        'sum(pos) as positives',
        'sum(neg) as negatives',
        'count(*) as row_count',
        'sum((pos + neg) * score) as sum_of_scores',
        'sum(pos * (1 - score) * (1 - score) + neg * score * score) as sum_of_squared_errors',
        '-sum(pos * ln(least(greatest(score, ' ~ least ~ '), 1 - ' ~ least ~ ')) + neg * ln(least(greatest(1 - score, '
            ~ least ~ '), 1 - ' ~ least ~ '))) as sum_of_log_losses',
    ]) }}
from {{ 'observations' if bins is none else 'binned' }}
group by
    {{ sqlmetrics.lines(keys + [key]) }}
{%- endmacro -%}

{%- macro state_columns() -%}
{{ return(['score_key', 'positives', 'negatives', 'row_count', 'sum_of_scores', 'sum_of_squared_errors', 'sum_of_log_losses']) }}
{%- endmacro -%}

{#- The metrics of any part of a score_state: n, auc with auc_lower and auc_upper, ece, log_loss, brier, copc and pcoc. From
    exact scores auc is the AUC; from bins the true AUC lies between auc_lower and auc_upper, which count the pairs inside a
    bin as lost and as won, and ece is that of these bins (give binned=true for these three columns). The others are exact
    in both. Exact scores are also pre-aggregated rows, of which evaluate can ask any metric of a click:
    positives='positives', total='= positives + negatives', score='score_key'. -#}
{%- macro state_metrics(relation=none, binned=false, by=none, where=none) -%}
{%- if relation is none or not (relation | string).strip() -%}
{%- do sqlmetrics.refuse('state_metrics', "relation must be given, as in relation=ref('impressions_state')") -%}
{%- endif -%}
{%- if binned is not boolean -%}
{%- do sqlmetrics.refuse('state_metrics', 'binned must be true or false, not ' ~ binned) -%}
{%- endif -%}
{%- if where is not none and (where is not string or not where.strip()) -%}
{%- do sqlmetrics.refuse('state_metrics', 'where must be an SQL condition') -%}
{%- endif -%}
{%- set slicing = sqlmetrics.slicing_of('state_metrics', by) -%}
{%- if slicing.groupings -%}
{%- do sqlmetrics.refuse('state_metrics', 'by is one list of columns') -%}
{%- endif -%}
{%- set keys = [] -%}
{%- set named = [] -%}
{%- set shown = [] -%}
{%- for entry in slicing.entries -%}
{%- do keys.append('slice_' ~ loop.index) -%}
{%- do named.append(sqlmetrics.sql_of(entry) ~ ' as slice_' ~ loop.index) -%}
{%- do shown.append('slice_' ~ loop.index ~ ' as ' ~ sqlmetrics.identifier(entry.name)) -%}
{%- endfor -%}
{%- set sums = [] -%}
{%- for column in sqlmetrics.state_columns() if column != 'score_key' -%}{%- do sums.append('sum(' ~ column ~ ') as ' ~ column) -%}{%- endfor -%}
{%- set states -%}
select
    {{ sqlmetrics.lines(named + sqlmetrics.state_columns()) }}
from {{ relation }}
{%- if where is not none %}
where {{ sqlmetrics.expression(where) }}
{%- endif -%}
{%- endset -%}
{%- set merged -%}
select
    {{ sqlmetrics.lines(keys + ['score_key'] + sums) }}
from states
{{- sqlmetrics.group_by(keys + ['score_key']) }}
{%- endset -%}
{%- set by_score = {'measure': 'negatives', 'reach': 'before', 'as': 'negatives_below'} -%}
{%- set ranked -%}
select
    {{ sqlmetrics.lines(keys + sqlmetrics.state_columns() + ['sum(negatives) ' ~ sqlmetrics.over(keys, 'score_key') ~ ' - negatives as negatives_below']) }}
from merged
{%- endset -%}
{%- set pairs = '(sum(positives) * sum(negatives))' -%}
{%- set all_rows = '(sum(positives) + sum(negatives))' -%}
{%- set items = shown + [
    'cast(coalesce(sum(row_count), 0) as bigint) as n',
    sqlmetrics.safe_divide('sum(positives * (negatives_below + negatives / 2))', pairs) ~ ' as auc',
] -%}
{%- if binned -%}
{%- do items.append(sqlmetrics.safe_divide('sum(positives * negatives_below)', pairs) ~ ' as auc_lower') -%}
{%- do items.append(sqlmetrics.safe_divide('sum(positives * (negatives_below + negatives))', pairs) ~ ' as auc_upper') -%}
{%- do items.append(sqlmetrics.safe_divide('sum(abs(positives - sum_of_scores))', all_rows) ~ ' as ece') -%}
{%- endif -%}
{%- do items.append(sqlmetrics.safe_divide('sum(sum_of_log_losses)', all_rows) ~ ' as log_loss') -%}
{%- do items.append(sqlmetrics.safe_divide('sum(sum_of_squared_errors)', all_rows) ~ ' as brier') -%}
{%- do items.append(sqlmetrics.safe_divide('sum(positives)', 'sum(sum_of_scores)') ~ ' as copc') -%}
{%- do items.append(sqlmetrics.safe_divide('sum(sum_of_scores)', 'sum(positives)') ~ ' as pcoc') -%}
-- metrics from the state {{ sqlmetrics.comment_text(relation | string) }}
with
{{ sqlmetrics.cte('states', states) }},
{{ sqlmetrics.cte('merged', merged, stored=true) }},
{% if not binned and sqlmetrics.default_shape() == 'two_level' -%}
{{ sqlmetrics.sums_in_two_levels('ranked', 'merged', keys, 'score_key', '', sqlmetrics.state_columns(), {'negatives': 'negatives'}, [by_score]) }}
{% else -%}
{{ sqlmetrics.cte('ranked', ranked) }}
{% endif -%}
select
    {{ sqlmetrics.lines(items) }}
from ranked
{{- sqlmetrics.group_by(keys) }}
{{- sqlmetrics.order_by(keys) }}
{%- endmacro -%}

{#- One day's log (or any part of it) as one row per slice that merges with others by addition: the sums that the metrics
    are made of. Takes any metrics that are quotients of sums over the rows: those of a threshold, of an error, the log
    losses, and so on. The body of an incremental model whose `by` holds the day; metrics_of_state reads it. -#}
{%- macro metric_state(relation=none, metrics=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, p_price=none, p_survive=none, won=none, preset=none, by=none, where=none) -%}
{%- set roles = {'label': label, 'score': score, 'prediction': prediction, 'weight': weight, 'positives': positives, 'total': total, 'p_price': p_price, 'p_survive': p_survive, 'won': won} -%}
{%- set q = sqlmetrics.plan(sqlmetrics.call_of('metric_state', relation, metrics, roles, {}, preset, by, where, none)) -%}
{%- if q.groupings or q.models -%}
{%- do sqlmetrics.refuse('metric_state', 'by is one list of columns, and score one column') -%}
{%- endif -%}
{%- set keys = [] -%}
{%- set items = [] -%}
{%- set columns = ['count(*) as row_count'] -%}
{%- set names = ['row_count'] -%}
{%- for m in q.metrics -%}
{%- if m.requires != q.metrics[0].requires -%}
{%- do sqlmetrics.refuse('metric_state', m.as ~ ' and ' ~ q.metrics[0].as ~ ' count different rows: give each a state of its own') -%}
{%- endif -%}
{%- for column in sqlmetrics.state_of('metric_state', m) -%}
{%- do names.append(column.name | lower) -%}
{%- do columns.append(column.aggregate ~ '(' ~ column.value ~ ') as ' ~ column.name) -%}
{%- endfor -%}
{%- endfor -%}
{%- for entry in q.by -%}
{%- if entry.name | lower in names -%}
{%- do sqlmetrics.refuse('metric_state', "by: '" ~ entry.name ~ "' is the name of a column of the state; name it as in by=['my_name = " ~ entry.name ~ "']") -%}
{%- endif -%}
{%- do keys.append('slice_' ~ loop.index) -%}
{%- do items.append('slice_' ~ loop.index ~ ' as ' ~ sqlmetrics.identifier(entry.name)) -%}
{%- endfor -%}
-- state of {{ sqlmetrics.comment_text(q.title) }}
with
{{ sqlmetrics.give_line_breaks(sqlmetrics.cte('source', sqlmetrics.source(q))) }},
{{ sqlmetrics.cte('observations', sqlmetrics.observations(q, keys, q.columns | list, q.required, 'source')) }}
select
    {{ sqlmetrics.indented(sqlmetrics.lines(items + columns)) }}
from observations
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}

{#- The metrics of any part of a metric_state, asked for just as the state was. A metric that the state was not built with
    is an unknown column; after a parameter has changed, the state is to be built anew (dbt run --full-refresh). -#}
{%- macro metrics_of_state(relation=none, metrics=none, preset=none, by=none, where=none) -%}
{%- if relation is none or not (relation | string).strip() -%}
{%- do sqlmetrics.refuse('metrics_of_state', "relation must be given, as in relation=ref('daily_sums')") -%}
{%- endif -%}
{%- if where is not none and (where is not string or not where.strip()) -%}
{%- do sqlmetrics.refuse('metrics_of_state', 'where must be an SQL condition') -%}
{%- endif -%}
{%- set slicing = sqlmetrics.slicing_of('metrics_of_state', by) -%}
{%- if slicing.groupings -%}
{%- do sqlmetrics.refuse('metrics_of_state', 'by is one list of columns') -%}
{%- endif -%}
{%- set requested = sqlmetrics.requested_metrics('metrics_of_state', metrics, preset) -%}
{%- do sqlmetrics.check_names('metrics_of_state', requested, slicing, [], false) -%}
{%- set keys = [] -%}
{%- set read = [] -%}
{%- set items = [] -%}
{%- for entry in slicing.entries -%}
{%- do keys.append('slice_' ~ loop.index) -%}
{%- do read.append(sqlmetrics.sql_of(entry) ~ ' as slice_' ~ loop.index) -%}
{%- do items.append('slice_' ~ loop.index ~ ' as ' ~ sqlmetrics.identifier(entry.name)) -%}
{%- endfor -%}
{%- do read.append('row_count') -%}
{%- do items.append('cast(coalesce(sum(row_count), 0) as bigint) as n') -%}
{%- for one in requested -%}
{#- Which column holds which sum is all that is asked here, not what was summed: the roles play no part. -#}
{%- set m = sqlmetrics.planned_metric(one, [], {}, {}, false, false, 'group') -%}
{%- for column in sqlmetrics.state_of('metrics_of_state', m) -%}{%- do read.append(column.name) -%}{%- endfor -%}
{%- for column in m.columns -%}
{%- do items.append(sqlmetrics.indented(sqlmetrics.metric_value(m, column.name)) ~ ' as ' ~ sqlmetrics.identifier(column.as)) -%}
{%- endfor -%}
{%- endfor -%}
{%- set states -%}
select
    {{ sqlmetrics.lines(read) }}
from {{ relation }}
{%- if where is not none %}
where {{ sqlmetrics.expression(where) }}
{%- endif -%}
{%- endset -%}
-- metrics from the state {{ sqlmetrics.comment_text(relation | string) }}
with
{{ sqlmetrics.cte('states', states) }}
select
    {{ sqlmetrics.lines(items) }}
from states
{{- sqlmetrics.group_by(keys) }}
{{- sqlmetrics.order_by(keys) }}
{%- endmacro -%}

{%- macro state_of(macro, m) -%}
{%- if not sqlmetrics.is_word(m.as) -%}
{%- do sqlmetrics.refuse(macro, "metrics: in a state 'as' must be a simple word, not '" ~ m.as ~ "'") -%}
{%- endif -%}
{#- The columns that a metric needs in a state: its value, written once, notes them in m.state. -#}
{%- if m.frames | list == ['rows'] and m.has_value -%}
{%- do m.update({'state': []}) -%}
{%- for column in m.columns -%}{%- set value = sqlmetrics.metric_value(m, column.name) -%}{%- endfor -%}
{%- endif -%}
{%- if not m.state -%}
{%- do sqlmetrics.refuse(macro, m.name ~ ' is no quotient of sums over the rows; score_state keeps what the metrics of a click need') -%}
{%- endif -%}
{{ return(m.state) }}
{%- endmacro -%}
