{#- What is read of states: parts that were made alike, added up. dbt and the Python runner both come here. -#}

{#- What the parts were made with, or one of several, for a host that looks before it asks. -#}
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
    'binned': made_with is not none and 'bins=none;' not in made_with,
}) }}
{%- endmacro -%}

{#- The metrics of a score_state. -#}
{%- macro statement_of_scores(macro, state, binned, by, where, confidence, standard_error, metrics, round=none) -%}
{%- do sqlmetrics.check_digits(macro, round) -%}
{%- set asked = sqlmetrics.metrics_of_scores(macro, metrics, binned) -%}
{%- set slicing = sqlmetrics.slicing_of_state(macro, state, "ref('impressions_state')", by, where) -%}
{%- set of_scores = sqlmetrics.requested_metrics(macro, asked.of_scores, none) if asked.of_scores else [] -%}
{%- set of_sums = sqlmetrics.requested_metrics(macro, asked.of_sums, none) if asked.of_sums else [] -%}
{%- set certainty = sqlmetrics.certainty_of_state(macro, state, of_scores + of_sums, slicing, confidence, standard_error) -%}
{%- set additive = [] -%}
{%- for one in of_sums -%}
{#- Which column holds which sum is all that is asked here, not what was summed: the roles play no part. -#}
{%- do additive.append(sqlmetrics.state_of(macro, sqlmetrics.planned_metric_of_state(one, [], certainty))) -%}
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
{%- set steps = sqlmetrics.steps_of_parts(macro, state, slicing, read, where, certainty, sqlmetrics.needs_of_scores(binned, of_sums)) + [
    sqlmetrics.step('merged', merged, 'one per slice and score or bin, of all parts', stored=true),
] + sqlmetrics.running_sums(f, 'merged', slicing.names, 'score_key', ' desc', carried, {'pos': 'pos', 'neg': 'neg'}, sums) -%}
{%- if certainty is none -%}
{{ sqlmetrics.written_metrics_of_state(state, slicing, steps, measured + additive, round) }}
{%- else -%}
{%- set added_again = [] -%}
{%- for name in carried[1:] -%}{%- do added_again.append('sum(' ~ name ~ ') as ' ~ name) -%}{%- endfor -%}
{%- set without_buckets = sqlmetrics.states_without_buckets(slicing, ['score_key'], added, added_again)
    + sqlmetrics.running_sums(dict(f, cte='thresholds_without_buckets'), 'without_buckets', slicing.names + ['bucket_left_out'], 'score_key', ' desc', carried, {'pos': 'pos', 'neg': 'neg'}, sums) -%}
{{ sqlmetrics.written_intervals_of_state(macro, state, slicing, steps, without_buckets, measured + additive, certainty, round) }}
{%- endif -%}
{%- endmacro -%}

{#- The further relations that metrics of a metric_state read, as `relation_step` takes them: `relations` as a call has them, `item`
    the column or expression by which they name what is `item_id` in the state. -#}
{%- macro relations_of_states(macro, metrics, preset, relations, item) -%}
{%- set requested = [] if metrics is none else sqlmetrics.requested_metrics(macro, metrics, preset) -%}
{%- set read = {} -%}
{%- for one in requested -%}
{%- for name in one.metric.relations if name in ['catalog', 'popularity'] -%}{%- do read.update({name: one}) -%}{%- endfor -%}
{%- endfor -%}
{%- for name in relations if name not in read -%}
{%- do sqlmetrics.refuse_unread(macro, name, requested) -%}
{%- endfor -%}
{%- for name, one in read.items() if name not in relations -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ' needs ⟨' ~ name ~ '⟩: ' ~ sqlmetrics.known_relations()[name]) -%}
{%- endfor -%}
{%- if item is not none and not relations -%}
{%- do sqlmetrics.refuse(macro, 'item has a meaning with ⟨catalog⟩ or ⟨popularity⟩ only: it is their column of items') -%}
{%- endif -%}
{{ return(sqlmetrics.planned_relations(requested, relations, {'item': {'column': 'item_id'} if item is none else sqlmetrics.role_value(macro, 'item', item)})) }}
{%- endmacro -%}

{#- The metrics of a metric_state. `relations` are those of `relations_of_states`. -#}
{%- macro statement_of_sums(macro, state, metrics, preset, by, where, confidence, standard_error, round=none, relations={}) -%}
{%- do sqlmetrics.check_digits(macro, round) -%}
{%- set slicing = sqlmetrics.slicing_of_state(macro, state, "ref('daily_sums')", by, where) -%}
{%- set requested = sqlmetrics.requested_metrics(macro, metrics, preset) -%}
{%- set certainty = sqlmetrics.certainty_of_state(macro, state, requested, slicing, confidence, standard_error) -%}
{%- do sqlmetrics.check_names(macro, requested, slicing.slicing, [], false, certainty) -%}
{%- set planned = [] -%}
{%- for one in requested -%}
{%- set of_classes = one.metric.truth == 'binary or class' and sqlmetrics.is_state_of_classes(state) -%}
{%- do planned.append(sqlmetrics.state_of(macro, sqlmetrics.planned_metric_of_state(one, [], certainty, {'prediction': true} if of_classes else {}))) -%}
{%- endfor -%}
{%- if sqlmetrics.keys_of_state(planned[0]) -%}
{{ sqlmetrics.statement_of_counts(macro, state, requested, planned, slicing, where, certainty, round, relations) }}
{%- else -%}
{{ sqlmetrics.statement_of_quotients(macro, state, requested, planned, slicing, where, certainty, round) }}
{%- endif -%}
{%- endmacro -%}

{#- A state of classes, where the same metric is one of calls too: it has none of the cells of a matrix of two classes. -#}
{%- macro is_state_of_classes(state) -%}
{%- for name in state['columns'] -%}
{%- for cell in ['_true_positives', '_false_positives', '_true_negatives', '_false_negatives'] if name.endswith(cell) -%}
{{ return(false) }}
{%- endfor -%}
{%- endfor -%}
{{ return(state['columns'] | length > 0) }}
{%- endmacro -%}

{%- macro statement_of_quotients(macro, state, requested, planned, slicing, where, certainty, round) -%}
{%- set kept = {'row_count': 'row_count'} -%}
{%- set added = ['sum(row_count) as row_count'] -%}
{%- set columns = [] -%}
{%- for m in planned -%}
{%- if sqlmetrics.keys_of_state(m) -%}
{%- do sqlmetrics.refuse(macro, m.as ~ ' and ' ~ planned[0].as ~ ' are kept in different states: ask for one after the other') -%}
{%- endif -%}
{%- for column in m.state if 'state_' ~ column.name not in kept -%}
{%- do kept.update({'state_' ~ column.name: column.name}) -%}
{%- do columns.append(column) -%}
{%- do added.extend(sqlmetrics.added_columns(column)) -%}
{%- endfor -%}
{%- endfor -%}
{%- set steps = sqlmetrics.steps_of_parts(macro, state, slicing, kept, where, certainty, sqlmetrics.needs_of_metrics(requested, planned)) + sqlmetrics.states_around_means(slicing, columns, certainty) -%}
{%- if certainty is none -%}
{{ sqlmetrics.written_metrics_of_state(state, slicing, steps, planned, round) }}
{%- else -%}
{{ sqlmetrics.written_intervals_of_state(macro, state, slicing, steps, sqlmetrics.states_without_buckets(slicing, [], added, added, steps[-1].name), planned, certainty, round) }}
{%- endif -%}
{%- endmacro -%}

{#- The parts are what the rows of the log are elsewhere: the frame of the metrics counts them. -#}
{%- macro statement_of_counts(macro, state, requested, planned, slicing, where, certainty, round, relations) -%}
{%- set keys = sqlmetrics.keys_of_state(planned[0]) -%}
{%- set kept = {} -%}
{%- for key in keys -%}{%- do kept.update({key: key}) -%}{%- endfor -%}
{%- set added = ['sum(row_count) as row_count'] -%}
{%- for m in planned -%}
{%- for column in m.state if column.name not in kept.values() -%}
{%- set name = column.value if sqlmetrics.is_word(column.value) else column.name -%}
{%- do kept.update({name: column.name}) -%}
{%- do added.append('sum(' ~ name ~ ') as ' ~ name) -%}
{%- endfor -%}
{%- endfor -%}
{%- do kept.update({'row_count': 'row_count'}) -%}
{%- set uses = [] -%}
{%- set metrics = [] -%}
{%- for one in requested -%}
{%- set m = planned[loop.index0] -%}
{%- if sqlmetrics.keys_of_state(m) != keys or m.frames[-1] != planned[0].frames[-1] -%}
{%- do sqlmetrics.refuse(macro, m.as ~ ' and ' ~ planned[0].as ~ ' are told by different frames: ask for one after the other') -%}
{%- endif -%}
{%- for name in m.uses if name not in uses -%}{%- do uses.append(name) -%}{%- endfor -%}
{%- set own = sqlmetrics.planned_metric_of_state(one, [], certainty) -%}
{%- do metrics.append(dict(own, of_parts=true, cte=own.name ~ '_' ~ loop.index)) -%}
{%- endfor -%}
{%- set name = planned[0].frames[-1] -%}
{%- set f = {'name': name, 'cte': name, 'suffix': '', 'rows': sqlmetrics.known_frames()[name].rows, 'where': '', 'params': {}, 'uses': uses, 'of_parts': true, 'added': added} -%}
{%- set needs = sqlmetrics.needs_of_metrics([], []) -%}
{%- do needs.append({'contents': sqlmetrics.words_of_keys(keys), 'state': []}) -%}
{%- for k in sqlmetrics.cuts_of_lists(planned) -%}
{%- set sums = [] -%}
{%- for m in planned if m.k == k or (k == 'all' and m.k is none) -%}{%- do sums.extend(m.state) -%}{%- endfor -%}
{%- do needs.append({'contents': sqlmetrics.words_of_cut(k), 'state': sums}) -%}
{%- endfor -%}
{%- set further = [] -%}
{%- for relation in relations.values() -%}{%- do further.extend(sqlmetrics.input_step(relation)) -%}{%- endfor -%}
{%- for relation_name, relation in relations.items() -%}{%- do further.append(sqlmetrics.relation_step(relation_name, relation)) -%}{%- endfor -%}
{%- set parts = sqlmetrics.steps_of_parts(macro, state, slicing, kept, where, certainty, needs) -%}
{%- set steps = further + parts + sqlmetrics.frame_steps(f, parts[-1].name, slicing.names) -%}
{%- if requested[0].metric.table -%}
{{ sqlmetrics.written_table_of_state(state, slicing, steps, dict(metrics[0], cte=name), f) }}
{%- elif certainty is none -%}
{{ sqlmetrics.written_metrics_of_state(state, slicing, steps, metrics, round) }}
{%- else -%}
{%- set without = sqlmetrics.states_without_buckets(slicing, keys, added, added, parts[-1].name) -%}
{%- set counted = sqlmetrics.frame_steps(dict(f, cte=name ~ '_without_buckets', suffix='_without_buckets'), without[-1].name, slicing.names + ['bucket_left_out']) -%}
{{ sqlmetrics.written_intervals_of_state(macro, state, slicing, steps, without + counted, metrics, certainty, round) }}
{%- endif -%}
{%- endmacro -%}

{%- macro written_table_of_state(state, slicing, steps, m, f) -%}
{%- set items = [] -%}
{%- for name in slicing.names -%}{%- do items.append(m.name ~ '.' ~ name ~ ' as ' ~ slicing.shown[loop.index0]) -%}{%- endfor -%}
{%- set own = [] -%}
{%- for name in slicing.names -%}{%- do own.append(m.name ~ '.' ~ name ~ ' asc nulls last') -%}{%- endfor -%}
{%- for column in m.order -%}{%- do own.append(m.name ~ '.' ~ column) -%}{%- endfor -%}
{%- for column in m['columns'] -%}{%- do items.append(m.name ~ '.' ~ column.name ~ ' as ' ~ sqlmetrics.identifier(column.as)) -%}{%- endfor -%}
{%- set ending -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ m.name }}
order by
    {{ sqlmetrics.lines(own) }}
{%- endset -%}
{%- set table = sqlmetrics.step(m.name, sqlmetrics.metric_table(m, f, slicing.names), m.formula) -%}
-- metrics from the state {{ sqlmetrics.comment_text(state.shown) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(steps + [table], ending)) }}
{%- endmacro -%}

{#- How a column of sums is added up; what is centred goes with what `states_around_means` makes of it. -#}
{%- macro added_columns(column) -%}
{%- set name = 'state_' ~ column.name -%}
{%- set added = [column.aggregate ~ '(' ~ name ~ ') as ' ~ name] -%}
{%- if column.get('of') == 'mean' -%}
{%- do added.extend(['min(' ~ name ~ '_least) as ' ~ name ~ '_least', 'max(' ~ name ~ '_most) as ' ~ name ~ '_most']) -%}
{%- elif column.get('of') == 'spread' -%}
{%- do added.append('sum(' ~ name ~ '_within) as ' ~ name ~ '_within') -%}
{%- endif -%}
{{ return(added) }}
{%- endmacro -%}

{#- Each part has its sums around means of its own. Moved to one mean of all parts of a slice, which need not be exact, they can be
    added up and keep their digits, however far from 0 the values lie:

    state_…_rest     Σ w·(y − mean)
    state_…_spread   Σ w·d(y, mean), and what of it there was within the parts; joint: Σ w·(y − mean)·(ŷ − mean)
    state_mean_…     the mean itself, and the least and the most of the means that were moved -#}
{%- macro states_around_means(slicing, columns, certainty) -%}
{%- set averages = [] -%}
{%- for column in columns if column.get('of') == 'mean' -%}
{%- do averages.append(sqlmetrics.mean_of_slice('state_' ~ column.name, 'state_weight') ~ ' as state_' ~ column.name) -%}
{%- endfor -%}
{%- if not averages -%}
{{ return([]) }}
{%- endif -%}
{%- set items = sqlmetrics.keys_of('states', slicing.names + ([] if certainty is none else ['bucket', 'buckets']) + ['row_count']) -%}
{%- for column in columns -%}
{%- set name = 'state_' ~ column.name -%}
{%- set mean = 'state_' ~ column.get('mean') -%}
{%- set moved = '(states.' ~ mean ~ ' - means.' ~ mean ~ ')' -%}
{%- if column.get('of') == 'mean' -%}
{%- set used = 'case when states.state_weight > 0 then states.' ~ name ~ ' end as ' ~ name -%}
{%- do items.extend(['means.' ~ name ~ ' as ' ~ name, used ~ '_least', used ~ '_most']) -%}
{%- elif column.get('of') == 'rest' -%}
{%- do items.append('states.' ~ name ~ ' + states.state_weight * ' ~ moved ~ ' as ' ~ name) -%}
{%- elif column.get('of') == 'spread' -%}
{%- set further = 'states.state_weight * ' ~ sqlmetrics.distance('states.' ~ mean, 'means.' ~ mean, column.power) -%}
{%- set between = further if column.power else '2 * ' ~ moved ~ ' * states.state_' ~ column.rest ~ ' + ' ~ further -%}
{%- do items.extend(['states.' ~ name ~ ' + ' ~ between ~ ' as ' ~ name, 'states.' ~ name ~ ' as ' ~ name ~ '_within']) -%}
{%- elif column.get('of') == 'joint spread' -%}
{%- set label = '(states.state_mean_label - means.state_mean_label)' -%}
{%- set score = '(states.state_mean_score - means.state_mean_score)' -%}
{%- do items.append('states.' ~ name ~ ' + ' ~ label ~ ' * states.state_score_rest + ' ~ score ~ ' * states.state_label_rest + states.state_weight * ' ~ sqlmetrics.product(label, score) ~ ' as ' ~ name) -%}
{%- else -%}
{%- do items.append('states.' ~ name ~ ' as ' ~ name) -%}
{%- endif -%}
{%- endfor -%}
{%- set means -%}
select
    {{ sqlmetrics.lines(slicing.names + averages) }}
from states
{{- sqlmetrics.group_by(slicing.names) }}
{%- endset -%}
{%- set same = [] -%}
{%- for name in slicing.names -%}{%- do same.append(sqlmetrics.same_value('states.' ~ name, 'means.' ~ name)) -%}{%- endfor -%}
{%- set around -%}
select
    {{ sqlmetrics.lines(items) }}
from states
inner join means
    on {{ same | join('\n    and ') if same else '1 = 1' }}
{%- endset -%}
{{ return([
    sqlmetrics.step('means', means, 'one per slice'),
    sqlmetrics.step('states_around_means', around, 'the parts, their sums moved to the mean of the slice', stored=certainty is not none),
]) }}
{%- endmacro -%}

{#- The metrics of a metric_state as expressions over its columns added up, each called by `prefix` and its name: for a layer that
    adds up by itself. -#}
{%- macro metrics_over_sums(macro, metrics, preset, prefix) -%}
{%- set found = [] -%}
{%- for one in sqlmetrics.requested_metrics(macro, metrics, preset) -%}
{%- set m = sqlmetrics.state_of(macro, sqlmetrics.planned_metric_of_state(one, [], none)) -%}
{%- if sqlmetrics.keys_of_state(m) or sqlmetrics.means_of_state([m]) -%}
{%- do sqlmetrics.refuse(macro, m.name ~ ' is more than sums of the parts, which is all that the layer adds up; metrics_of_state has it') -%}
{%- endif -%}
{%- set written = dict(m, state=[], written_as=prefix) -%}
{%- set has = 'case when row_count = 0 or (' ~ sqlmetrics.has_contents(sqlmetrics.words_of_metric(one), m.state) ~ ') then 1 else 0 end' -%}
{%- for column in m['columns'] -%}
{%- set value = sqlmetrics.metric_value(written, column.name) -%}
{%- do found.append({'name': column.as, 'metric': m.name, 'formula': m.formula, 'sums': m.state, 'has': {'name': m.as ~ '_parts', 'value': has}, 'value': value | trim}) -%}
{%- endfor -%}
{%- endfor -%}
{{ return(found) }}
{%- endmacro -%}

{#- What a reader needs of the settings: what must stand there, where (1: at the beginning, none: anywhere), and what to say else. -#}
{%- macro needs_of_scores(binned, of_sums) -%}
{%- set needs = [{'text': 'score_state 3: ', 'first': true, 'wrong': 'the relation is no score_state of this version of the package'}] -%}
{%- if binned -%}
{%- do needs.append({'text': 'bins=none;', 'absent': true, 'wrong': 'the state has exact scores; leave binned out'}) -%}
{%- else -%}
{%- do needs.append({'text': 'bins=none;', 'wrong': 'the state has bins; give binned=true'}) -%}
{%- endif -%}
{%- if of_sums -%}
{%- do needs.append({'text': 'scores=probabilities;', 'wrong': "the scores are no probabilities; ask metrics=['auc']"}) -%}
{%- endif -%}
{{ return(needs) }}
{%- endmacro -%}

{%- macro needs_of_metrics(requested, planned) -%}
{%- set needs = [{'text': 'metric_state 3: ', 'first': true, 'wrong': 'the relation is no metric_state of this version of the package'}] -%}
{%- for one in requested -%}
{%- do needs.append({'contents': sqlmetrics.words_of_metric(one), 'state': planned[loop.index0].state}) -%}
{%- endfor -%}
{{ return(needs) }}
{%- endmacro -%}

{#- The metrics that a score_state has, those of its bins first. -#}
{%- macro metrics_of_scores(macro, metrics, binned) -%}
{%- set known = ['auc'] + (['ece'] if binned else []) + ['log_loss', 'brier', 'copc', 'pcoc'] -%}
{%- set asked = known if metrics is none else sqlmetrics.metric_specs(macro, metrics) -%}
{%- for name in asked if name not in known -%}
{%- do sqlmetrics.refuse(macro, 'metrics: a ' ~ ('score_state with bins' if binned else 'score_state') ~ ' has ' ~ known | join(', ') ~ ', not ' ~ sqlmetrics.shown(name) ~ (' (ece needs binned=true)' if name == 'ece')) -%}
{%- endfor -%}
{%- set of_scores = [] -%}
{%- set of_sums = [] -%}
{%- for name in asked -%}
{%- if name == 'auc' -%}
{%- do of_scores.append({'name': 'auc', 'bins': 1} if binned else 'auc') -%}
{%- elif name == 'ece' -%}
{%- do of_scores.append('ece') -%}
{%- else -%}
{%- do of_sums.append(name) -%}
{%- endif -%}
{%- endfor -%}
{{ return({'of_scores': of_scores, 'of_sums': of_sums}) }}
{%- endmacro -%}

{#- A state is told by {'relation': as SQL, 'shown': as a reader knows it, 'columns': in small letters, where they are known,
    'anew': how one is built anew, 'once': how to have each part once}. One that is not built yet has no columns, and of a name or a sub-query dbt knows none: there
    the engine misses the column. -#}
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
{%- endif -%}
{%- if where is not none and (where is not string or not where.strip()) -%}
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

{#- The parts that are added up, with some of their columns (name here -> name there), once it is sure that they can be: a mixture, or a state that was made for something else, ends
    the statement. The condition is on the rows, so that it holds for whoever reads any one column of the result. -#}
{%- macro steps_of_parts(macro, state, slicing, columns, where, certainty, needs) -%}
{%- if not sqlmetrics.can_raise() -%}
{%- do sqlmetrics.refuse(macro, 'this engine cannot end a statement where the parts of a state were made with different settings; read them on another, such as DuckDB') -%}
{%- endif -%}
{%- set contents = [] -%}
{%- for need in needs if need.contents is defined -%}{%- do contents.append(need) -%}{%- endfor -%}
{%- set texts = ['made_with'] + (['made_for'] if contents else []) -%}
{%- do sqlmetrics.check_state_columns(macro, state, ['state_key'] + (columns.values() | list) + texts) -%}
{%- set kept = slicing.read + ([] if certainty is none else ['bucket', 'buckets']) + sqlmetrics.selected(columns) -%}
{%- if 'row_count' not in columns -%}{%- do kept.append('row_count') -%}{%- endif -%}
{%- for need in contents -%}
{%- do kept.append('case when ' ~ sqlmetrics.has_contents(need.contents, need.state) ~ ' then 1 else 0 end as has_' ~ loop.index) -%}
{%- endfor -%}
{%- set kept_parts -%}
select
    {{ sqlmetrics.lines(kept + ['state_key'] + texts) }}
from {{ sqlmetrics.named_relation(state.relation) }}
{%- if where is not none %}
where {{ sqlmetrics.expression(where) }}
{%- endif -%}
{%- endset -%}
{%- set unlike = sqlmetrics.text_literal(macro ~ ': the parts were made with different settings and cannot be added up (build the state anew' ~ state.anew ~ ', or read fewer parts): ') -%}
{%- set unknown = sqlmetrics.text_literal(macro ~ ': some parts do not say what they were made with; build the state anew' ~ state.anew) -%}
{%- set twice = sqlmetrics.text_literal(' distinct state_key: some parts are there twice and would count twice; ' ~ state.once) -%}
{%- set cases = [
    'when known < parts then ' ~ sqlmetrics.raised(unknown ~ " || case when known > 0 then ' (not the others: ' || least_settings || ')' else '' end"),
    'when least_settings <> greatest_settings then ' ~ sqlmetrics.raised(unlike ~ ' || least_settings || ' ~ sqlmetrics.text_literal(' and ') ~ ' || greatest_settings'),
    'when state_keys < all_parts then ' ~ sqlmetrics.raised(sqlmetrics.text_literal(macro ~ ': ') ~ ' || ' ~ sqlmetrics.to_text('all_parts') ~ " || ' rows but ' || " ~ sqlmetrics.to_text('state_keys') ~ ' || ' ~ twice),
] -%}
{%- for need in needs if need.text is defined -%}
{%- set place = sqlmetrics.text_position(sqlmetrics.text_literal(need.text), 'least_settings') -%}
{%- set holds = place ~ (' = 1' if need.first is defined else ' = 0' if need.absent is defined else ' > 0') -%}
{%- do cases.append('when not ' ~ holds ~ ' then ' ~ sqlmetrics.raised(sqlmetrics.text_literal(macro ~ ': ' ~ need.wrong ~ ' (it was made with: ') ~ " || least_settings || ')'")) -%}
{%- endfor -%}
{%- set of_parts = 'case when row_count > 0 then ' -%}
{%- set counted = ['count(*) as all_parts', 'count(distinct state_key) as state_keys', 'count(' ~ of_parts ~ '1 end) as parts', 'count(' ~ of_parts ~ 'made_with end) as known', 'min(' ~ of_parts ~ 'made_with end) as least_settings', 'max(' ~ of_parts ~ 'made_with end) as greatest_settings'] -%}
{%- for need in contents -%}
{%- set lacks = 'case when row_count > 0 and has_' ~ loop.index ~ ' = 0 then ' -%}
{%- do counted.extend(['count(' ~ lacks ~ '1 end) as lacking_' ~ loop.index, 'min(' ~ lacks ~ 'made_for end) as others_' ~ loop.index]) -%}
{%- set wrong = macro ~ ': the state was not made for ' ~ need.contents ~ ' in ' -%}
{%- set fix = ' parts; read the parts that have it, ask for what all have, or build the state anew' ~ state.anew ~ ' (parts without it were made for: ' -%}
{%- do cases.append('when lacking_' ~ loop.index ~ ' > 0 then ' ~ sqlmetrics.raised(sqlmetrics.text_literal(wrong) ~ ' || ' ~ sqlmetrics.to_text('lacking_' ~ loop.index) ~ " || ' of ' || " ~ sqlmetrics.to_text('parts') ~ ' || ' ~ sqlmetrics.text_literal(fix) ~ ' || coalesce(others_' ~ loop.index ~ ", 'nothing') || ')'")) -%}
{%- endfor -%}
{%- set settings -%}
select
    coalesce(max(agree), 1) as agree
from (
    select
        case
            {{ cases | join('\n            ') }}
            else 1
        end as agree
    from (
        select
            {{ counted | join(',\n            ') }}
        from kept_parts
        {{- sqlmetrics.group_by(slicing.names) | indent(8) }}
    ) as made
) as slices_made
{%- endset -%}
{%- set states -%}
select
    {{ sqlmetrics.lines(slicing.names + ([] if certainty is none else ['bucket', 'buckets']) + (columns | list)) }}
from kept_parts
where row_count > 0
    and (select settings.agree from settings) = 1
{%- endset -%}
{{ return([
    sqlmetrics.step('kept_parts', kept_parts, 'the parts that are asked for'),
    sqlmetrics.step('settings', settings, 'whether each part of a slice is there once, and what all were made with'),
    sqlmetrics.step('states', states, 'the parts that are added up', stored=certainty is not none),
]) }}
{%- endmacro -%}

{#- All parts added up, but for a bucket, for each bucket. Where some parts were kept in other numbers of buckets, a cluster lies
    in several: then none is left out, and there is no interval. -#}
{%- macro states_without_buckets(slicing, further, added, added_again, rows_from='states') -%}
{%- set names = slicing.names -%}
{%- set in_buckets -%}
select
    {{ sqlmetrics.lines(names + ['bucket'] + further + added) }}
from {{ rows_from }}
{{- sqlmetrics.group_by(names + ['bucket'] + further) }}
{%- endset -%}
{%- set buckets_left_out -%}
select distinct
    {{ sqlmetrics.lines(names + ['bucket as bucket_left_out']) }}
from states_in_buckets
where (
    select
        case when min(states.buckets) = max(states.buckets) and count(states.buckets) = count(*) then 1 end
    from states
) = 1
{%- endset -%}
{%- set same = [] -%}
{%- set own = [] -%}
{%- for name in names -%}
{%- do same.append(sqlmetrics.same_value('states_in_buckets.' ~ name, 'buckets_left_out.' ~ name)) -%}
{%- do own.append('states_in_buckets.' ~ name) -%}
{%- endfor -%}
{%- set without_buckets -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('states_in_buckets', names) + ['buckets_left_out.bucket_left_out as bucket_left_out'] + sqlmetrics.keys_of('states_in_buckets', further) + added_again) }}
from states_in_buckets
inner join buckets_left_out
    on {{ (same + ['states_in_buckets.bucket <> buckets_left_out.bucket_left_out']) | join('\n    and ') }}
{%- for name in further -%}{%- do own.append('states_in_buckets.' ~ name) -%}{%- endfor -%}
{{- sqlmetrics.group_by(own + ['buckets_left_out.bucket_left_out']) }}
{%- endset -%}
{{ return([
    sqlmetrics.step('states_in_buckets', in_buckets, 'the parts added up in each bucket of clusters', stored=true),
    sqlmetrics.step('buckets_left_out', buckets_left_out, 'the buckets that hold a row'),
    sqlmetrics.step('without_buckets', without_buckets, 'all buckets but one, for each of them', stored=true),
]) }}
{%- endmacro -%}

{%- macro written_metrics_of_state(state, slicing, steps, metrics, round) -%}
{%- set items = [] -%}
{%- for name in slicing.names -%}{%- do items.append(name ~ ' as ' ~ slicing.shown[loop.index0]) -%}{%- endfor -%}
{%- if sqlmetrics.metrics_with_steps({'metrics': metrics}) -%}
{%- set all_steps = steps + sqlmetrics.steps_of_values('measured', 'the values of all parts', steps[-1].name, slicing.names, [sqlmetrics.count_of_parts()], metrics) -%}
{%- do items.append('n') -%}
{%- for m in metrics -%}{%- do items.append(sqlmetrics.rounded(sqlmetrics.identifier(m.as), round) ~ ' as ' ~ sqlmetrics.identifier(m.as)) -%}{%- endfor -%}
{%- else -%}
{%- set all_steps = steps -%}
{%- do items.append(sqlmetrics.count_of_parts()) -%}
{%- do items.extend(sqlmetrics.frame_aggregates({'metrics': metrics, 'diagnostics': []}, round)) -%}
{%- endif -%}
{%- set ending -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ all_steps[-1].name }}
{{- sqlmetrics.group_by(slicing.names) if all_steps | length == steps | length }}
{{- sqlmetrics.order_by(slicing.shown) }}
{%- endset -%}
-- metrics from the state {{ sqlmetrics.comment_text(state.shown) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(all_steps, ending)) }}
{%- endmacro -%}

{%- macro count_of_parts() -%}
{{ sqlmetrics.whole_number('coalesce(sum(row_count), 0)') }} as n
{%- endmacro -%}

{#- The values of metrics by these keys, as steps of which the last has the name; one that is a whole query has a step of its own. -#}
{%- macro steps_of_values(name, title, rows_from, keys, counted, metrics) -%}
{%- set own = [] -%}
{%- for m in metrics -%}{%- do own.append(dict(m, cte=m.cte ~ '_' ~ name) if m.query else m) -%}{%- endfor -%}
{%- set queries = sqlmetrics.metrics_with_steps({'metrics': own}) -%}
{%- set aggregates -%}
select
    {{ sqlmetrics.lines(keys + counted + sqlmetrics.frame_aggregates({'metrics': own, 'diagnostics': []})) }}
from {{ rows_from }}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- if not queries -%}
{{ return([sqlmetrics.step(name, aggregates, title)]) }}
{%- endif -%}
{%- set first = name ~ '_slices' -%}
{%- set steps = [sqlmetrics.step(first, aggregates, 'what is told apart')] -%}
{%- set joined = [] -%}
{%- for m in queries -%}
{%- set same = [] -%}
{%- for key in keys -%}{%- do same.append(sqlmetrics.same_value(first ~ '.' ~ key, m.cte ~ '.' ~ key)) -%}{%- endfor -%}
{%- do steps.append(sqlmetrics.step(m.cte, sqlmetrics.metric_query(m, rows_from, keys), m.formula)) -%}
{%- do joined.append('left join ' ~ m.cte ~ '\n    on ' ~ (same | join('\n    and ') if same else '1 = 1')) -%}
{%- endfor -%}
{%- set items = sqlmetrics.keys_of(first, keys + (['n'] if counted else [])) -%}
{%- for m in own -%}
{%- for column in m['columns'] -%}
{%- do items.append((m.cte if m.query else first) ~ '.' ~ sqlmetrics.identifier(column.as) ~ ' as ' ~ sqlmetrics.identifier(column.as)) -%}
{%- endfor -%}
{%- endfor -%}
{%- set values -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ first }}
{{ joined | join('\n') }}
{%- endset -%}
{{ return(steps + [sqlmetrics.step(name, values, title)]) }}
{%- endmacro -%}

{#- The same with intervals, from the values without each bucket. -#}
{%- macro written_intervals_of_state(macro, state, slicing, steps, without_buckets, metrics, certainty, round) -%}
{%- set names = slicing.names -%}
{%- set items = [] -%}
{%- for name in names -%}{%- do items.append('measured.' ~ name ~ ' as ' ~ slicing.shown[loop.index0]) -%}{%- endfor -%}
{%- do items.append('measured.n as n') -%}
{%- set values = [] -%}
{%- set spreads = [] -%}
{%- set reaching = [] -%}
{%- for m in metrics -%}
{%- set number = loop.index -%}
{%- if m.interval -%}
{%- do reaching.append({'number': number}) -%}
{%- do values.append(sqlmetrics.identifier(m.as) ~ ' as value_' ~ number) -%}
{%- do values.append('avg(' ~ sqlmetrics.identifier(m.as) ~ ') ' ~ sqlmetrics.over(names) ~ ' as mean_' ~ number) -%}
{%- do spreads.extend(sqlmetrics.spread_of_buckets(number)) -%}
{%- endif -%}
{%- for column in m['columns'] -%}
{%- set value = 'measured.' ~ sqlmetrics.identifier(column.as) -%}
{%- do items.append(sqlmetrics.rounded(value, round) ~ ' as ' ~ sqlmetrics.identifier(column.as)) -%}
{%- if m.interval and column.name == m.name -%}
{%- do items.extend(sqlmetrics.interval_items(m, value, {'se': 'measured_errors.error_' ~ number, 'reach': 'measured_errors.reach_' ~ number}, round)) -%}
{%- endif -%}
{%- endfor -%}
{%- endfor -%}
{#- A confusion matrix has no value that could have an interval. -#}
{%- if not reaching -%}
{%- do sqlmetrics.refuse(macro, 'confidence: none of the metrics has an interval; leave it out') -%}
{%- endif -%}
{%- set spread -%}
select
    {{ sqlmetrics.lines(names + spreads) }}
from (
    select
        {{ (names + values) | join(',\n        ') }}
    from measured_without_buckets
) as values_and_means
{{- sqlmetrics.group_by(names) }}
{%- endset -%}
{%- set same = [] -%}
{%- for name in names -%}{%- do same.append(sqlmetrics.same_value('measured.' ~ name, 'measured_errors.' ~ name)) -%}{%- endfor -%}
{%- set ending -%}
select
    {{ sqlmetrics.lines(items) }}
from measured
left join measured_errors
    on {{ same | join('\n    and ') if same else '1 = 1' }}
{{- sqlmetrics.order_by(slicing.shown) }}
{%- endset -%}
{%- set all_steps = steps + without_buckets
    + sqlmetrics.steps_of_values('measured', 'the values of all parts', steps[-1].name, names, [sqlmetrics.count_of_parts()], metrics)
    + sqlmetrics.steps_of_values('measured_without_buckets', 'the values without each bucket', without_buckets[-1].name, names + ['bucket_left_out'], [], metrics) + [
    sqlmetrics.step('measured_errors', sqlmetrics.with_reach({'certainty': certainty}, names, reaching, spread, []), 'one per slice: how far apart the values without a bucket lie'),
] -%}
-- metrics from the state {{ sqlmetrics.comment_text(state.shown) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(all_steps, ending)) }}
{%- endmacro -%}
