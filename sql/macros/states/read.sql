{#- What is read of states: parts that were made alike, added up, and the formulas of metrics over them. dbt and the Python runner both
    come here. A `state` is {relation: as SQL, shown: as a reader knows it, columns: in small letters, where they are known, anew: how one
    is built anew, once: how to have each part once}. -#}

{#- What the parts were made with, or one of several, for a host that looks first. -#}
{%- macro settings_of_states(macro, state, where) -%}
{%- do sqlmetrics.check_state_columns(macro, state, ['made_with', 'row_count']) -%}
select
    max(made_with) as made_with{{ ',\n    max(made_for) as made_for' if 'made_for' in state['columns'] }}
from {{ sqlmetrics.named_relation(state.relation) }}
where row_count > 0
{%- if where is not none %}
    and {{ sqlmetrics.expression(where) }}
{%- endif -%}
{%- endmacro -%}

{#- Of which kind states are, and whether they have bins, by these settings; without any row, by the columns. -#}
{%- macro kind_of_states(made_with, columns) -%}
{{ return({
    'of_scores': 'score_key' in columns if made_with is none else made_with.startswith('score_state '),
    'binned': made_with is not none and made_with.startswith(sqlmetrics.kind_of_score_state(true)),
}) }}
{%- endmacro -%}

{#- The metrics of a score_state: {name: whether it is read off the scores, not off sums}. -#}
{%- macro metrics_of_scores(macro, metrics, binned) -%}
{%- set known = ['auc'] + (['ece'] if binned else []) + ['log_loss', 'brier', 'copc', 'pcoc'] -%}
{%- set wanted = known if metrics is none else sqlmetrics.metric_specs(macro, metrics) -%}
{%- for name in wanted if name not in known -%}
{%- do sqlmetrics.refuse(macro, 'metrics: a ' ~ ('score_state with bins' if binned else 'score_state') ~ ' has ' ~ known | join(', ') ~ ', not ' ~ sqlmetrics.shown(name) ~ (' (ece needs binned=true)' if name == 'ece')) -%}
{%- endfor -%}
{%- set of_scores = [] -%}
{%- set of_sums = [] -%}
{%- for name in wanted -%}
{%- do (of_scores if name in ['auc', 'ece'] else of_sums).append({'name': 'auc', 'bins': 1} if name == 'auc' and binned else name) -%}
{%- endfor -%}
{{ return({'of_scores': of_scores, 'of_sums': of_sums}) }}
{%- endmacro -%}

{#- The metrics of a score_state. Its rows, added up by score or bin, are those of the frames of auc and ece. -#}
{%- macro statement_of_scores(macro, state, binned, by, where, confidence, standard_error, metrics, round=none) -%}
{%- set wanted = sqlmetrics.metrics_of_scores(macro, metrics, binned) -%}
{%- set slicing = sqlmetrics.slicing_of_state(macro, state, "ref('impressions_state')", by, where) -%}
{%- set requested = sqlmetrics.requested_metrics(macro, wanted.of_scores + wanted.of_sums, none) -%}
{%- set certainty = sqlmetrics.certainty_of_state(macro, state, requested, slicing, confidence, standard_error) -%}
{%- set read = {'score_key': 'score_key', 'pos': 'positives', 'neg': 'negatives', 'row_count': 'row_count'} -%}
{%- set planned = [] -%}
{%- for one in requested -%}
{%- if one.metric.name in ['auc', 'ece'] -%}
{%- do planned.append(dict(sqlmetrics.planned_metric_of_state(one, ['weight'], certainty), frame='thresholds')) -%}
{%- if one.metric.name == 'ece' -%}{%- do read.update({'score_sum': 'score_sum'}) -%}{%- endif -%}
{%- else -%}
{%- do planned.append(sqlmetrics.state_of(macro, sqlmetrics.planned_metric_of_state(one, [], certainty))) -%}
{%- for column in planned[-1].state -%}{%- do read.update({'state_' ~ column.name: column.name}) -%}{%- endfor -%}
{%- endif -%}
{%- endfor -%}
{%- set added = [] -%}
{%- for name in read if name != 'score_key' -%}{%- do added.append('sum(' ~ name ~ ') as ' ~ name) -%}{%- endfor -%}
{{ sqlmetrics.statement_of_state({
    'macro': macro, 'state': state, 'slicing': slicing, 'where': where, 'certainty': certainty, 'round': round,
    'kind': sqlmetrics.kind_of_score_state(binned),
    'wrong': 'with bins; leave binned out where it has exact scores' if binned else 'with exact scores; give binned=true where it has bins',
    'contents': [], 'relations': {}, 'read': read, 'keys': ['score_key'], 'added': added, 'means': [], 'metrics': planned,
    'frame': {'name': 'scores', 'cte': 'thresholds', 'rows': 'one per slice and score or bin', 'two_level': not binned and sqlmetrics.default_shape() == 'two_level'},
}) }}
{%- endmacro -%}

{#- The further relations that metrics of a metric_state read, as `relation_step` takes them: `relations` as a call has them, `item`
    the column or expression by which they name what is `item_id` in the state. -#}
{%- macro relations_of_states(macro, metrics, preset, relations, item) -%}
{%- set requested = [] if metrics is none else sqlmetrics.requested_metrics(macro, metrics, preset) -%}
{%- set needed = {} -%}
{%- for one in requested -%}
{%- for name in one.metric.relations if name in ['catalog', 'popularity'] -%}{%- do needed.update({name: one}) -%}{%- endfor -%}
{%- endfor -%}
{%- for name in relations if name not in needed -%}
{%- do sqlmetrics.refuse_unread(macro, name, requested) -%}
{%- endfor -%}
{%- for name, one in needed.items() if name not in relations -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ' needs ⟨' ~ name ~ '⟩: ' ~ sqlmetrics.known_relations()[name]) -%}
{%- endfor -%}
{%- if item is not none and not relations -%}
{%- do sqlmetrics.refuse(macro, 'item has a meaning with ⟨catalog⟩ or ⟨popularity⟩ only: it is their column of items') -%}
{%- endif -%}
{{ return(sqlmetrics.planned_relations(requested, relations, {'item': {'column': 'item_id'} if item is none else sqlmetrics.role_value(macro, 'item', item)})) }}
{%- endmacro -%}

{#- The metrics of a metric_state: quotients of sums, or metrics of counts, which the frame of the metrics counts in the parts as it does
    in the rows of a log. `relations` are those of `relations_of_states`. -#}
{%- macro statement_of_sums(macro, state, metrics, preset, by, where, confidence, standard_error, round=none, relations={}) -%}
{%- set slicing = sqlmetrics.slicing_of_state(macro, state, "ref('daily_sums')", by, where) -%}
{%- set requested = sqlmetrics.requested_metrics(macro, metrics, preset) -%}
{%- set certainty = sqlmetrics.certainty_of_state(macro, state, requested, slicing, confidence, standard_error) -%}
{%- do sqlmetrics.check_names(macro, requested, slicing.slicing, [], false, certainty) -%}
{%- set noted = [] -%}
{%- set counting = [] -%}
{%- for one in requested -%}
{#- A metric of calls and of classes adds up cells of a matrix, or the rows that are right. -#}
{%- set of_classes = one.metric.truth == 'binary or class' and one.name ~ '_sum' in state['columns'] -%}
{%- set m = sqlmetrics.planned_metric_of_state(one, [], certainty, {'prediction': true} if of_classes else {}) -%}
{%- do counting.append(dict(m, of_parts=true, cte=m.name ~ '_' ~ loop.index)) -%}
{%- do noted.append(sqlmetrics.state_of(macro, m)) -%}
{%- if sqlmetrics.keys_of_state(m) != sqlmetrics.keys_of_state(noted[0]) or (sqlmetrics.keys_of_state(m) and m.frames[-1] != noted[0].frames[-1]) -%}
{%- do sqlmetrics.refuse(macro, m.as ~ ' and ' ~ noted[0].as ~ ' are kept in different states, or told by different frames: ask for one after the other') -%}
{%- endif -%}
{%- endfor -%}
{%- set r = {
    'macro': macro, 'state': state, 'slicing': slicing, 'where': where, 'certainty': certainty, 'round': round,
    'kind': sqlmetrics.kind_of_metric_state(), 'wrong': '', 'relations': relations,
} -%}
{%- set of_counts = sqlmetrics.keys_of_state(noted[0]) | length > 0 -%}
{%- do r.update(sqlmetrics.reading_of_counts(noted) if of_counts else sqlmetrics.reading_of_quotients(requested, noted)) -%}
{{ sqlmetrics.statement_of_state(dict(r, metrics=counting if of_counts else noted)) }}
{%- endmacro -%}

{%- macro reading_of_quotients(requested, noted) -%}
{%- set read = {'row_count': 'row_count'} -%}
{%- set added = ['sum(row_count) as row_count'] -%}
{%- set columns = [] -%}
{%- set contents = [] -%}
{%- for m in noted -%}
{%- do contents.append({'words': sqlmetrics.words_of_metric(requested[loop.index0]), 'columns': m.state}) -%}
{%- for column in m.state if 'state_' ~ column.name not in read -%}
{%- do read.update({'state_' ~ column.name: column.name}) -%}
{%- do columns.append(column) -%}
{%- do added.extend(sqlmetrics.added_columns(column)) -%}
{%- endfor -%}
{%- endfor -%}
{{ return({'contents': contents, 'read': read, 'keys': [], 'added': added, 'means': columns if sqlmetrics.means_of_state(noted) else [], 'frame': none}) }}
{%- endmacro -%}

{%- macro reading_of_counts(noted) -%}
{%- set keys = sqlmetrics.keys_of_state(noted[0]) -%}
{%- set read = {} -%}
{%- for key in keys -%}{%- do read.update({key: key}) -%}{%- endfor -%}
{%- set added = ['sum(row_count) as row_count'] -%}
{%- set contents = [{'words': sqlmetrics.words_of_keys(keys), 'columns': []}] -%}
{%- for k in sqlmetrics.cuts_of_lists(noted) -%}{%- do contents.append({'words': sqlmetrics.words_of_cut(k), 'columns': []}) -%}{%- endfor -%}
{%- for m in noted -%}
{%- for entry in contents if m.k is defined and entry.words == sqlmetrics.words_of_cut('all' if m.k is none else m.k) -%}
{%- do entry['columns'].extend(m.state) -%}
{%- endfor -%}
{%- for column in m.state if column.name not in read.values() -%}
{%- set name = column.value if sqlmetrics.is_word(column.value) else column.name -%}
{%- do read.update({name: column.name}) -%}
{%- do added.append('sum(' ~ name ~ ') as ' ~ name) -%}
{%- endfor -%}
{%- endfor -%}
{%- set name = noted[0].frames[-1] -%}
{{ return({
    'contents': contents, 'read': dict(read, row_count='row_count'), 'keys': keys, 'added': added, 'means': [],
    'frame': {'name': name, 'cte': name, 'suffix': '', 'rows': sqlmetrics.known_frames()[name].rows, 'where': '', 'params': {}, 'uses': sqlmetrics.uses_of(noted), 'of_parts': true, 'added': added},
}) }}
{%- endmacro -%}

{#- A state that is not built yet has no columns, and of a name or a sub-query dbt knows none: there the engine misses the column. -#}
{%- macro check_state_columns(macro, state, needed) -%}
{%- for name in needed if state['columns'] and name not in state['columns'] -%}
{%- if name == 'buckets' -%}
{%- do sqlmetrics.refuse(macro, 'confidence: ' ~ state.shown ~ ' is a state without buckets; build it with ⟨buckets⟩=20 and ⟨cluster⟩=…' ~ state.anew) -%}
{%- elif 'made_with' not in state['columns'] or name in ['state_key', 'made_for'] -%}
{%- do sqlmetrics.refuse(macro, state.shown ~ ' is no state of this version of the package: it has no column ' ~ name ~ '; build it anew' ~ state.anew) -%}
{%- else -%}
{%- do sqlmetrics.refuse(macro, state.shown ~ ' was not made for what is asked: it has no column ' ~ name ~ '; ask for what it was made for, or build it anew' ~ state.anew) -%}
{%- endif -%}
{%- endfor -%}
{%- endmacro -%}

{#- The slices of a call that reads a state. -#}
{%- macro slicing_of_state(macro, state, example, by, where) -%}
{%- if not state.relation.strip() -%}
{%- do sqlmetrics.refuse(macro, 'relation must be given, as in relation=' ~ example) -%}
{%- elif where is not none and (where is not string or not where.strip()) -%}
{%- do sqlmetrics.refuse(macro, 'where must be an SQL condition') -%}
{%- endif -%}
{%- set slicing = sqlmetrics.slicing_of(macro, by) -%}
{%- if slicing.groupings -%}
{%- do sqlmetrics.refuse(macro, 'by is one list of columns') -%}
{%- endif -%}
{%- set names = [] -%}
{%- set read = [] -%}
{%- set shown = [] -%}
{%- for entry in slicing.entries -%}
{%- do names.append('slice_' ~ loop.index) -%}
{%- do read.append(sqlmetrics.sql_of(entry) ~ ' as slice_' ~ loop.index) -%}
{%- do shown.append(sqlmetrics.identifier(entry.name)) -%}
{%- endfor -%}
{{ return({'names': names, 'read': read, 'shown': shown, 'slicing': slicing}) }}
{%- endmacro -%}

{#- How sure the values of a state are to be: none without confidence. -#}
{%- macro certainty_of_state(macro, state, requested, slicing, confidence, standard_error) -%}
{%- set call = {'confidence': confidence, 'comparison': none, 'cluster': none, 'standard_error': standard_error, 'per_group': false, 'method': none, 'replicates': none, 'seed': none} -%}
{%- set certainty = sqlmetrics.certainty_of(macro, call, requested, []) -%}
{%- if certainty is not none -%}{%- do sqlmetrics.check_state_columns(macro, state, ['buckets']) -%}{%- endif -%}
{{ return(certainty) }}
{%- endmacro -%}

{%- macro planned_metric_of_state(one, requires, certainty, given={}) -%}
{{ return(dict(sqlmetrics.planned_metric(one, requires, given, {}, false, false, 'group'), interval=sqlmetrics.interval_names(one, certainty, false))) }}
{%- endmacro -%}
