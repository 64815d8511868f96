{#- Reads states: adds up parts with equal settings, and computes metrics from them. dbt and the Python runner both use it. A `state`
    is {relation: SQL, shown: its name for readers, columns: in lower case, if available, rebuild_hint: how to rebuild it, once: how to
    remove repeated parts}. -#}

{#- The number of bins of the parts, or none, for hosts that query it first. -#}
{%- macro bins_of_states(macro, state, where) -%}
{%- do sqlmetrics.check_state_columns(macro, state, ['made_with', 'row_count', 'bins']) -%}
select
    count(*) as parts,
    max(bins) as bins
from {{ sqlmetrics.named_relation(state.relation) }}
where row_count > 0
{%- if where is not none %}
    and {{ sqlmetrics.expression(where) }}
{%- endif -%}
{%- endmacro -%}

{#- Requested metrics of a score_state, by default all. With bins, AUC has bounds. -#}
{%- macro metrics_of_scores(macro, metrics, binned) -%}
{%- set known = ['auc'] + (['ece'] if binned else []) + ['log_loss', 'brier', 'copc', 'pcoc'] -%}
{%- set names = known if metrics is none else sqlmetrics.metric_specs(macro, metrics) -%}
{%- set has = 'metrics: a ' ~ ('score_state with bins' if binned else 'score_state') ~ ' has ' ~ known | join(', ') -%}
{%- set hint = ' (ece needs binned=true)' if 'ece' in names and not binned else '' -%}
{%- do sqlmetrics.check_rules(macro, [[names | reject('in', known) | list, has ~ ", not '{0}'" ~ hint]]) -%}
{%- set specs = [] -%}
{%- for name in names -%}{%- do specs.append({'name': 'auc', 'bins': 1} if name == 'auc' and binned else name) -%}{%- endfor -%}
{{ return(specs) }}
{%- endmacro -%}

{#- Further relations of the metrics of a metric_state, for `relation_step`: others were read for the build. `relations` are those of a
    call, and `item` is their column or expression for `item_id` in the state. -#}
{%- macro relations_of_states(macro, metrics, preset, relations, item) -%}
{%- set requested = [] if metrics is none else sqlmetrics.requested_metrics(macro, metrics, preset) -%}
{%- set of_logs = sqlmetrics.known_relations() | reject('in', ['catalog', 'popularity']) | list -%}
{%- for name in relations if name in of_logs -%}{%- do sqlmetrics.raise_unread(macro, name, requested) -%}{%- endfor -%}
{%- set read = sqlmetrics.relations_read(macro, requested, relations, of_logs) -%}
{%- do sqlmetrics.check_rules(macro, [[item is not none and not read, 'item requires ⟨catalog⟩ or ⟨popularity⟩: it is their item column']]) -%}
{{ return(sqlmetrics.planned_relations(requested, read, {'item': {'column': 'item_id'} if item is none else sqlmetrics.role_value(macro, 'item', item)})) }}
{%- endmacro -%}

{#- The plan of a call that reads a state. It is a plan as of `query`, with parts as rows, and these additional keys:

    q.state     The state. q.slices: the SQL of its slices, by name here.
    q.binned    For scores, whether they must be in bins, else none.
    q.contents  The required contents of each part: [{description, is_listed: in made_for, columns}].
    q.read      The columns to read, name here -> name in the state.
    q.parts     {keys: of the parts, in addition to slices, sums: SQL that adds up other columns, means: the columns, if they are sums
                around means}.
    q.frames    The frames over the parts.

    `call` has the arguments macro, metrics, preset, by, where, confidence, standard_error, round, and `relations` from
    `relations_of_states`. `scores` is {binned} for a score_state. -#}
{%- macro planned_reading(state, call, scores=none) -%}
{%- set macro = call.macro -%}
{%- do sqlmetrics.check_call(dict(call, relation=state.relation), 'daily_scores') -%}
{%- set slicing = sqlmetrics.slicing_of(macro, call.by) -%}
{%- do sqlmetrics.check_rules(macro, [
    [slicing.groupings | length > 0, sqlmetrics.single_grouping()],
    [scores is not none and scores.binned is not boolean, 'binned must be true or false, not ' ~ sqlmetrics.shown((scores or {}).get('binned'))],
]) -%}
{%- set metrics = call.metrics if scores is none else sqlmetrics.metrics_of_scores(macro, call.metrics, scores.binned) -%}
{%- set requested = sqlmetrics.requested_metrics(macro, metrics, call.preset) -%}
{%- set of_logs = {'comparison': none, 'cluster': none, 'per_group': false, 'method': none, 'replicates': none, 'seed': none} -%}
{%- set interval_options = sqlmetrics.interval_options_of(macro, dict(call, **of_logs), requested, []) -%}
{%- do sqlmetrics.check_state_columns(macro, state, ['made_with'] + ([] if interval_options is none else ['bucket'])) -%}
{%- set q = dict(sqlmetrics.plan_without_metrics(), **{
    'macro': macro,
    'title': 'metrics from the state ' ~ state.shown,
    'state': state,
    'where': call.where,
    'by': slicing.entries,
    'slices': sqlmetrics.sql_of_slices(slicing.entries),
    'requested': requested,
    'table': requested[0].metric.table,
    'relations': call.relations,
    'interval_options': interval_options,
    'round': call.round,
}) -%}
{%- set q = sqlmetrics.reading_of_sums(q) if scores is none else sqlmetrics.reading_of_scores(q, scores.binned) -%}
{%- do sqlmetrics.check_names(macro, q.metrics, slicing, [], false) -%}
{%- set bounds = q.metrics | rejectattr('table') | selectattr('interval') | list -%}
{%- do sqlmetrics.check_rules(macro, [[interval_options is not none and not bounds, 'confidence: none of the metrics has an interval; remove it']]) -%}
{%- set read = q.read if interval_options is none else dict(q.read, bucket='bucket') -%}
{#- `pos` implies `neg`. -#}
{{ return(dict(q, read=read, derived=read | reject('equalto', 'neg') | list)) }}
{%- endmacro -%}

{#- Clicks at each score are read as pre-aggregated rows. Other columns of a score or bin are added up. -#}
{%- macro reading_of_scores(q, binned) -%}
{%- set of_bins = {'score_sum': 'score_sum'} if 'ece' in q.requested | map(attribute='metric.name') else {} -%}
{%- set read = dict({'score': 'score_key', 'pos': 'positives', 'neg': 'negatives', 'row_count': 'row_count'}, **of_bins) -%}
{%- set metrics = [] -%}
{%- for metric_call in q.requested -%}
{%- set m = sqlmetrics.planned_metric(metric_call, ['weight'], {}, q.interval_options) -%}
{%- set m = m if m.name in ['auc', 'ece'] else sqlmetrics.state_of(q.macro, dict(m, requires=[])) -%}
{%- for column in m.get('state', []) -%}{%- do read.update({'state_' ~ column.name: column.name}) -%}{%- endfor -%}
{%- do metrics.append(m) -%}
{%- endfor -%}
{%- set sums = {} -%}
{%- for name in read if name != 'score' -%}{%- do sums.update({name: 'sum(' ~ name ~ ')'}) -%}{%- endfor -%}
{%- set parts = {'keys': ['score'], 'sums': sums, 'means': []} -%}
{%- set two_level = not binned and sqlmetrics.default_shape() == 'two_level' -%}
{%- set ranked = metrics | selectattr('name', 'equalto', 'auc') | list -%}
{%- set added = metrics | rejectattr('name', 'equalto', 'auc') | list -%}
{%- set frames = ([sqlmetrics.frame_of_parts('thresholds', ranked, parts, two_level)] if ranked else [])
    + ([sqlmetrics.frame_of_parts('added_parts', added, parts)] if added else []) -%}
{{ return(dict(q, binned=binned, contents=[], read=read, parts=parts, metrics=metrics, frames=frames)) }}
{%- endmacro -%}

{#- Quotients of sums, or metrics of counts, whose frame counts parts as it counts rows of a log. -#}
{%- macro reading_of_sums(q) -%}
{%- set metrics = [] -%}
{%- set contents = [] -%}
{%- set columns = {} -%}
{%- for metric_call in q.requested -%}
{#- Binary labels sum cells of the confusion matrix, class labels sum correct rows. -#}
{%- set of_classes = metric_call.metric.label_type == 'binary or class' and metric_call.name ~ '_sum' in q.state['columns'] -%}
{%- set m = sqlmetrics.planned_metric(metric_call, [], {'prediction': true} if of_classes else {}, q.interval_options) -%}
{%- set noted = sqlmetrics.state_of(q.macro, m) -%}
{%- set keys = sqlmetrics.keys_of_state(m) -%}
{%- do metrics.append(m if keys else noted) -%}
{%- do contents.append({'description': m.as if keys else sqlmetrics.describe_metric(metric_call), 'is_listed': not keys, 'columns': noted.state}) -%}
{%- for column in noted.state -%}{%- do columns.update({column.name: column}) -%}{%- endfor -%}
{%- if keys != sqlmetrics.keys_of_state(metrics[0]) or (keys and m.frames[-1] != metrics[0].frames[-1]) -%}
{%- do sqlmetrics.raise_error(q.macro, m.as ~ ' and ' ~ metrics[0].as ~ ' are in different states, or use different frames; request them in separate calls') -%}
{%- endif -%}
{%- endfor -%}
{%- set keys = sqlmetrics.keys_of_state(metrics[0]) -%}
{%- set read = {} -%}
{%- for key in keys + ['row_count'] -%}{%- do read.update({key: key}) -%}{%- endfor -%}
{%- set sums = {'row_count': 'sum(row_count)'} -%}
{%- for column in columns.values() -%}
{%- set name = 'state_' ~ column.name if not keys else column.value if sqlmetrics.is_word(column.value) else column.name -%}
{%- do read.update({name: column.name}) -%}
{%- do sums.update(sqlmetrics.added_columns(column, name)) -%}
{%- endfor -%}
{%- set parts = {'keys': keys, 'sums': sums, 'means': columns.values() | list if sqlmetrics.means_of_state(metrics) else []} -%}
{%- set name = metrics[0].frames[-1] if keys and metrics[0].frames[-1] != 'listed_items' else 'added_parts' -%}
{{ return(dict(q, binned=none, contents=contents, read=read, parts=parts, metrics=metrics, frames=[sqlmetrics.frame_of_parts(name, metrics, parts)])) }}
{%- endmacro -%}

{#- A frame over parts, in the form of `frame`. The parts also determine n and the intervals. -#}
{%- macro frame_of_parts(name, metrics, parts, two_level=false) -%}
{%- set of_parts = [] -%}
{%- for m in metrics -%}
{%- do of_parts.append(dict(m, frame=name, of_parts=true, two_level=two_level, cte=m.name ~ '_' ~ loop.index if m.query else name)) -%}
{%- endfor -%}
{{ return(dict(
    sqlmetrics.known_frames()['rows' if name == 'added_parts' else name],
    name=name, suffix='', cte=name, own_step=true, of_parts=true, parts=parts, totals='sum(row_count)', unit=none, perturbed=none,
    metrics=of_parts, areas=false, uses=sqlmetrics.uses_of(metrics), params={'bins': none}, requires=['total'], where='', diagnostics=[],
    groups_by_columns=false, weighted=true, judged=false, ranked=false, two_level=two_level, positives_alone=false
)) }}
{%- endmacro -%}

{#- Parts added up by key, for metrics without further steps. -#}
{%- macro added_parts(f, rows_from, keys) -%}
{{ return([sqlmetrics.step(f.cte, sqlmetrics.sums_of_parts(f.parts, rows_from, keys), 'one per slice' ~ (' and ' ~ f.parts['keys'] | join(', ') if f.parts['keys']))]) }}
{%- endmacro -%}

{%- macro sums_of_parts(parts, rows_from, keys) -%}
select
    {{ sqlmetrics.select_list(keys + parts['keys'] + sqlmetrics.selected(parts.sums)) }}
from {{ rows_from }}
{{- sqlmetrics.group_by(keys + parts['keys']) }}
{%- endmacro -%}

{#- Columns are unknown before the state is built, and in dbt for a name or a subquery. The engine then reports the error. -#}
{%- macro check_state_columns(macro, state, needed) -%}
{%- for name in needed if state['columns'] and name not in state['columns'] -%}
{%- do sqlmetrics.check_rules(macro, [
    [name == 'bucket', 'confidence: ' ~ state.shown ~ ' is a state without buckets; build it with ⟨buckets⟩=20 and ⟨cluster⟩=…' ~ state.rebuild_hint],
    [name in ['made_with', 'state_key', 'bins', 'made_for'], state.shown ~ ' is not a state of this version of the package: it has no column ' ~ name ~ '; rebuild it' ~ state.rebuild_hint],
    [true, state.shown ~ ' was not built for these metrics: it has no column ' ~ name ~ '; request the metrics in made_for, or rebuild it' ~ state.rebuild_hint],
]) -%}
{%- endfor -%}
{%- endmacro -%}
