{#- How states are made. A call comes as the planner takes it; dbt and the Python runner both come here. -#}

{#- The plan of a score_state: `call` as the planner takes it, whose metrics are those that each score has a part in. -#}
{%- macro planned_score_state(call, bins, eps, range, buckets) -%}
{%- if bins is not none and (bins is not number or bins is boolean or bins < 1 or bins - bins != 0 or bins != bins | int) -%}
{%- do sqlmetrics.refuse(call.macro, 'bins must be a whole number >= 1, not ' ~ sqlmetrics.shown(bins)) -%}
{%- endif -%}
{%- set ends = sqlmetrics.range_of_scores(call.macro, range) -%}
{%- set q = sqlmetrics.plan_of_state(dict(call, metrics=[{'name': 'log_loss', 'eps': eps}, 'brier', 'copc', 'pcoc']), buckets) -%}
{#- Of scores that are no probabilities there is an AUC alone, and they need not lie between 0 and 1. -#}
{%- set problems = [] -%}
{%- for problem in q.problems if ends.probabilities or problem.column != 'score' -%}{%- do problems.append(problem) -%}{%- endfor -%}
{{ return(dict(q, problems=problems, state={'kind': 'scores', 'macro': call.macro, 'buckets': buckets, 'bins': bins, 'eps': eps, 'ends': ends})) }}
{%- endmacro -%}

{#- The plan of a metric_state. -#}
{%- macro planned_metric_state(call, buckets) -%}
{%- set q = sqlmetrics.plan_of_state(call, buckets) -%}
{#- What cannot be kept is refused before anything is read. -#}
{%- do sqlmetrics.columns_of_state(call.macro, q.metrics) -%}
{{ return(dict(q, state={'kind': 'metrics', 'macro': call.macro, 'buckets': buckets})) }}
{%- endmacro -%}

{#- The plan of a state, with the cluster among its columns where buckets are kept. -#}
{%- macro plan_of_state(call, buckets) -%}
{%- set macro = call.macro -%}
{%- if buckets is none and call.cluster is not none -%}
{%- do sqlmetrics.refuse(macro, 'cluster has a meaning with ⟨buckets⟩ only; give ⟨buckets⟩=20 or leave it out') -%}
{%- elif buckets is not none and (buckets is not number or buckets is boolean or buckets < 2 or buckets > 1000 or buckets != buckets | int) -%}
{%- do sqlmetrics.refuse(macro, 'buckets must be a whole number between 2 and 1000, not ' ~ sqlmetrics.shown(buckets)) -%}
{%- elif buckets is not none and call.cluster is none -%}
{%- do sqlmetrics.refuse(macro, "buckets needs ⟨cluster⟩: whose rows belong together, as in ⟨cluster⟩='user_id'") -%}
{%- endif -%}
{#- How sure a reader of the state will want to be is not known yet, nor does it matter. -#}
{%- set q = sqlmetrics.plan(dict(call, confidence=none if buckets is none else 0.95, later=['catalog', 'popularity'])) -%}
{%- if q.groupings or q.models -%}
{%- do sqlmetrics.refuse(macro, 'by is one list of columns, and ⟨score⟩ one column') -%}
{%- endif -%}
{{ return(q) }}
{%- endmacro -%}

{#- The statement of a planned state. `previous` is the state as it was, as a reader of states takes it, or none. -#}
{%- macro state_statement(q, previous=none, previous_where=none) -%}
{%- set state = q.state -%}
{%- if state.kind == 'metrics' -%}
{%- set own_keys = {} -%}
{%- for key in sqlmetrics.keys_of_state(q.metrics[0]) -%}{%- do own_keys.update({key: key}) -%}{%- endfor -%}
{{ sqlmetrics.written_state(state.macro, q, own_keys, sqlmetrics.columns_of_state(state.macro, sqlmetrics.metrics_to_add_up(q)), [], state.buckets, {'made_with': sqlmetrics.settings_of_metrics(q, state.buckets), 'made_for': sqlmetrics.contents_of_state(q)}, previous, previous_where) }}
{%- else -%}
{%- set columns = {'positives': 'sum(pos)', 'negatives': 'sum(neg)'} -%}
{%- if state.ends.probabilities -%}{%- do columns.update(sqlmetrics.columns_of_state(state.macro, q.metrics)) -%}{%- endif -%}
{%- set rows_from = 'observations' if state.buckets is none else 'rows_in_buckets' -%}
{%- set carried = sqlmetrics.slice_columns(q) + (['weight'] if 'weight' in q.derived else []) + ([] if state.buckets is none else ['bucket']) -%}
{%- set keyed = sqlmetrics.step('scores_with_keys', sqlmetrics.scores_with_keys(state.macro, rows_from, carried, state.bins, state.ends), 'every row with its score' ~ (' bin' if state.bins is not none)) -%}
{{ sqlmetrics.written_state(state.macro, q, {'score_key': 'score_key'}, columns, [keyed], state.buckets, {'made_with': sqlmetrics.settings_of_scores(state.bins, state.ends, state.eps, q, state.buckets)}, previous, previous_where) }}
{%- endif -%}
{%- endmacro -%}

{#- The statement of a state: one row per slice, key and bucket, with the columns of the state. What `steps` are read from are the
    rows that count, or these with their bucket; metrics of groups are kept as sums over the groups of the slice.

    state_key   never NULL, and different in any two rows: what `merge` and microbatch tell rows by
    made_with   the settings of all sums: parts with other ones are not to be added up
    made_for    of a metric_state, the metrics that it has sums of: a part may have others than the next -#}
{%- macro written_state(macro, q, own_keys, columns, steps, buckets, texts, previous, previous_where) -%}
{%- set names = sqlmetrics.slice_columns(q) -%}
{%- set keys = (own_keys.values() | list) + ([] if buckets is none else ['bucket']) -%}
{%- set shown = sqlmetrics.shown_slices(macro, q, ['state_key', 'row_count'] + (texts | list) + keys + (columns | list) + ([] if buckets is none else ['buckets'])) -%}
{%- set kept = [] -%}
{#- A sum is never NULL, so that where it is, a column was added to the table after the part. -#}
{%- for name, value in columns.items() -%}{%- do kept.append(sqlmetrics.to_double('coalesce(' ~ value ~ ', 0)' if value.startswith('sum(') else value) ~ ' as ' ~ name) -%}{%- endfor -%}
{%- set of_groups = sqlmetrics.is_state_of_groups(q.metrics[0]) -%}
{%- set all_steps = sqlmetrics.steps_of_groups(macro, q, names, buckets) if of_groups else sqlmetrics.steps_of_rows(q, names, steps, buckets) -%}
{%- set rows_from = all_steps[-1].name -%}
{%- set parts -%}
select
    {{ sqlmetrics.lines(names + keys + [sqlmetrics.rows_of_part(q, of_groups) ~ ' as row_count'] + kept) }}
from {{ rows_from }}
{{- sqlmetrics.group_by(names + keys) }}
{%- endset -%}
{%- set keyed -%}
select
    {{ sqlmetrics.lines([sqlmetrics.key_of_part(names + keys) ~ ' as state_key'] + names + keys + ['row_count'] + (columns | list)) }}
from parts
{%- endset -%}
{%- do all_steps.append(sqlmetrics.step('parts', parts, 'one per slice' ~ (', ' ~ keys | join(', ') if keys))) -%}
{%- do all_steps.append(sqlmetrics.step('parts_with_keys', keyed, 'each with a key that is never NULL', stored=previous is not none)) -%}
{%- set last = 'parts_with_keys' -%}
{%- if previous is not none -%}
{%- do all_steps.append(sqlmetrics.step('vanished_parts', sqlmetrics.vanished_parts(macro, q, names, keys, columns, previous, previous_where), 'parts of the state as it was that there are no longer')) -%}
{%- set all_parts -%}
select
    {{ sqlmetrics.lines(['state_key'] + names + keys + ['row_count'] + (columns | list)) }}
from parts_with_keys
union all
select
    {{ sqlmetrics.lines(['state_key'] + names + keys + ['row_count'] + (columns | list)) }}
from vanished_parts
{%- endset -%}
{%- do all_steps.append(sqlmetrics.step('all_parts', all_parts, 'what the state gets')) -%}
{%- set last = 'all_parts' -%}
{%- elif previous_where is not none -%}
{%- do sqlmetrics.refuse(macro, 'previous_where has a meaning with previous only; give previous=this or leave it out') -%}
{%- endif -%}
{%- set items = ['state_key'] -%}
{%- for name in names -%}{%- do items.append(name ~ ' as ' ~ shown[loop.index0]) -%}{%- endfor -%}
{%- do items.extend(keys) -%}
{%- if buckets is not none -%}{%- do items.append(buckets ~ ' as buckets') -%}{%- endif -%}
{%- for name, text in texts.items() -%}{%- do items.append('cast(' ~ sqlmetrics.text_literal(text) ~ ' as ' ~ sqlmetrics.type_text() ~ ') as ' ~ name) -%}{%- endfor -%}
{%- do items.append('row_count') -%}
{%- do items.extend(columns | list) -%}
{%- set ending -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ last }}
{%- endset -%}
-- state of {{ sqlmetrics.comment_text(q.title) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(all_steps, ending)) }}
{%- endmacro -%}

{#- How many rows a part is of, or what its pre-aggregated rows stand for: no whole number, where their totals are none. -#}
{%- macro rows_of_part(q, of_groups) -%}
{%- if 'total' in q.metrics[0].requires -%}
{{ return(sqlmetrics.to_double('sum(weight)' if of_groups else 'sum(pos + neg)')) }}
{%- endif -%}
{{ return('cast(' ~ ('sum(row_count)' if of_groups else 'count(*)') ~ ' as bigint)') }}
{%- endmacro -%}

{#- The names that the slices have in the state: none is that of a column of its own. -#}
{%- macro shown_slices(macro, q, taken) -%}
{%- set shown = [] -%}
{%- for entry in q.by -%}
{%- if entry.name | lower in taken -%}
{%- do sqlmetrics.refuse(macro, "by: '" ~ entry.name ~ "' is the name of a column of every state; name it as in ⟨by⟩=['my_name = " ~ entry.name ~ "']") -%}
{%- endif -%}
{%- do shown.append(sqlmetrics.identifier(entry.name)) -%}
{%- endfor -%}
{{ return(shown) }}
{%- endmacro -%}

{%- macro steps_of_rows(q, names, steps, buckets) -%}
{%- set means = sqlmetrics.means_of_state(q.metrics) -%}
{#- Rows are joined to the means of their part by the number of its slice, which is never NULL. -#}
{%- set numbered = means | length > 0 and names | length > 0 -%}
{%- set keys = ['slice_id'] if numbered else names -%}
{%- set rows = 'sliced' if numbered else 'observations' -%}
{%- set source = sqlmetrics.source_steps(q, {'names': names, 'numbered': numbered, 'read_from': 'source'}) + ([] if buckets is none else [sqlmetrics.rows_in_buckets(q, rows, keys, buckets)]) -%}
{{ return(source + (sqlmetrics.rows_around_means(q, names, source[-1].name, keys + ([] if buckets is none else ['bucket']), means) if means else []) + steps) }}
{%- endmacro -%}

{#- The rows beside the means of their part, so that squares are those of small numbers. -#}
{%- macro rows_around_means(q, names, rows_from, keys, means) -%}
{%- set carried = [] -%}
{%- for name in sqlmetrics.derived_columns(q.derived) if name != 'cluster_id' -%}{%- do carried.append(name) -%}{%- endfor -%}
{%- set f = {'cte': 'centred_rows', 'rows': 'every row beside the means of its part', 'suffix': '', 'where': '', 'uses': means, 'carried': carried} -%}
{%- set steps = sqlmetrics.centred_rows(f, rows_from, keys) -%}
{%- if 'slice_id' not in keys -%}
{{ return(steps) }}
{%- endif -%}
{%- set named -%}
select{{ sqlmetrics.broadcast('slices') }}
    {{ sqlmetrics.lines(sqlmetrics.keys_of('slices', names) + sqlmetrics.keys_of('centred_rows', keys[1:] + carried + means)) }}
from centred_rows
inner join slices
    on centred_rows.slice_id = slices.slice_id
{%- endset -%}
{{ return(steps + [sqlmetrics.step('rows_around_means', named, 'the same, with their slices')]) }}
{%- endmacro -%}

{#- The means of a part that the metrics are centred by: none for those that are not. -#}
{%- macro means_of_state(metrics) -%}
{%- set means = [] -%}
{%- for m in metrics if m.frames[-1] == 'centred_rows' -%}
{%- for name in ['mean_label'] + m.uses if name not in means -%}{%- do means.append(name) -%}{%- endfor -%}
{%- endfor -%}
{{ return(means) }}
{%- endmacro -%}

{#- What the rows of a state are told by beside slices and buckets: the classes of class counts, the value of a field, or an item. -#}
{%- macro keys_of_state(m) -%}
{%- set state = sqlmetrics.known_frames()[m.frames[-1]].state -%}
{{ return(state['keys'] if state is mapping else []) }}
{%- endmacro -%}

{#- Whether what is kept is told of groups: of each as a whole, or of the items in its list. -#}
{%- macro is_state_of_groups(m) -%}
{%- set state = sqlmetrics.known_frames()[m.frames[-1]].state -%}
{{ return(state == 'group' or (state is mapping and state.of is defined)) }}
{%- endmacro -%}

{#- How many items of every list a state of lists is asked for: in order, 'all' first. -#}
{%- macro cuts_of_lists(metrics) -%}
{%- set cuts = [] -%}
{%- for m in metrics if sqlmetrics.known_frames()[m.frames[-1]].state is mapping and m.k is defined and m.k not in cuts -%}{%- do cuts.append(m.k) -%}{%- endfor -%}
{%- set numbers = [] -%}
{%- for k in cuts if k is not none -%}{%- do numbers.append(k) -%}{%- endfor -%}
{{ return((['all'] if none in cuts else []) + numbers | sort) }}
{%- endmacro -%}

{%- macro words_of_cut(k) -%}
{{ return('items of a list=' ~ k) }}
{%- endmacro -%}

{#- The metrics as the state adds them up. Where groups of several frames are brought together, what stands for a group without a
    value of its own stands there already: a frame that leaves a group out has none. -#}
{%- macro metrics_to_add_up(q) -%}
{%- set metrics = [] -%}
{%- set several = sqlmetrics.is_state_of_groups(q.metrics[0]) and sqlmetrics.frames_of(q) | length > 1 -%}
{%- for m in q.metrics -%}{%- do metrics.append(dict(m, empty='skip') if several and sqlmetrics.is_mean_with_filler(m) else m) -%}{%- endfor -%}
{{ return(metrics) }}
{%- endmacro -%}

{#- Whether a metric is a mean over groups, in which those without a value count as a number. -#}
{%- macro is_mean_with_filler(m) -%}
{{ return(m.empty is defined and m.empty != 'skip' and m.group_columns | length == 1) }}
{%- endmacro -%}

{#- The groups, or the items of their lists, with their values and slices, and the bucket of each. -#}
{%- macro steps_of_groups(macro, q, names, buckets) -%}
{%- if buckets is not none and q.certainty.cluster != q.roles['group'] -%}
{%- do sqlmetrics.refuse(macro, 'cluster: metrics of groups are kept in buckets of these groups; give ⟨cluster⟩ what ⟨group⟩ is') -%}
{%- endif -%}
{%- set own_columns = {
    'group_scores': ['weight', 'positives', 'auc'],
    'slates': ['importance', 'total_reward', 'reward_by_item'],
    'listed_items': ['item_id', 'item_rank', 'list_length'],
} -%}
{%- set keys = ['slice_id'] if names else [] -%}
{%- set steps = sqlmetrics.source_steps(q, {'names': names, 'numbered': names | length > 0, 'read_from': 'source'}) -%}
{#- Metrics whose frames differ, or are made with other parameters as `err` with its highest grade, have each their own values
    of a group. -#}
{%- set columns_of = {} -%}
{%- set written = {} -%}
{%- for one in sqlmetrics.frames_of(q) -%}
{%- set state = sqlmetrics.known_frames()[one.name].state -%}
{%- set f = dict(one, uses=one.uses + (state.uses if state is mapping else [])) -%}
{%- do steps.extend(sqlmetrics.frame_steps(f, 'sliced' if names else 'observations', keys)) -%}
{%- set columns = ['row_count'] + (['group_weight'] if f.group_weight else []) + own_columns.get(f.name, []) + (['reward_by_cascade'] if f.name == 'slates' and 'cascade' in f.uses else []) -%}
{%- for m in f.metrics if f.group_values is not none -%}
{%- for column in m.group_columns -%}
{%- set name = sqlmetrics.identifier(column.as) -%}
{%- do columns.append(name) -%}
{%- do written.update({name: sqlmetrics.to_double(sqlmetrics.value_of_group(m) if sqlmetrics.is_mean_with_filler(m) else name)}) -%}
{%- endfor -%}
{%- endfor -%}
{%- do columns_of.update({f.cte: columns}) -%}
{%- endfor -%}
{%- set valued = columns_of | list -%}
{%- set columns = columns_of[valued[0]] -%}
{%- if valued | length > 1 -%}
{%- set columns = [] -%}
{%- for own in columns_of.values() -%}{%- for name in own if name not in columns -%}{%- do columns.append(name) -%}{%- endfor -%}{%- endfor -%}
{%- do steps.append(sqlmetrics.step('values_of_groups', sqlmetrics.values_of_all_frames(columns_of, columns, keys, written), 'one per group that any of them has')) -%}
{%- set valued = ['values_of_groups'] -%}
{%- endif -%}
{%- set items = [] -%}
{%- for name in names -%}{%- do items.append('slices.' ~ name ~ ' as ' ~ name) -%}{%- endfor -%}
{%- if buckets is not none -%}
{%- set name = sqlmetrics.name_of_cluster(q, 'valued.group_id', 'group_id') -%}
{%- do items.append('cast(' ~ sqlmetrics.bucket_of(sqlmetrics.text_digest(name), buckets) ~ ' as integer) as bucket') -%}
{%- endif -%}
{%- for name in columns -%}{%- do items.append('valued.' ~ name ~ ' as ' ~ name) -%}{%- endfor -%}
{%- set groups -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ valued[0] }} as valued
{{- '\ninner join slices\n    on valued.slice_id = slices.slice_id' if names }}
{%- endset -%}
{{ return(steps + [sqlmetrics.step('groups_with_slices', groups, 'the groups and what they have of each metric')]) }}
{%- endmacro -%}

{#- The groups of several frames, of which one may have groups that another leaves out, as those whose items are judged and never
    returned: a row for each, without a value where its frame has none. What a group without any relevant item counts as, `empty`,
    stands in here, where it is known which groups the frame has. -#}
{%- macro values_of_all_frames(columns_of, columns, keys, written) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set values = [] -%}
{%- for name in columns -%}{%- do values.append('max(' ~ name ~ ') as ' ~ name) -%}{%- endfor -%}
{%- set parts = [] -%}
{%- for frame, own in columns_of.items() -%}
{%- set items = group_keys + [] -%}
{%- for name in columns -%}
{%- set value = (written[name] if name in written else '') if name in own else sqlmetrics.to_double('null') -%}
{%- do items.append(value ~ ' as ' ~ name if value else name) -%}
{%- endfor -%}
{%- do parts.append('select\n        ' ~ items | join(',\n        ') ~ '\n    from ' ~ frame) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(group_keys + values) }}
from (
    {{ parts | join('\n    union all\n    ') }}
) as groups_of_frames
{{- sqlmetrics.group_by(group_keys) }}
{%- endmacro -%}

{#- One text that no two parts share: of each column its length and itself, so that no value can pass for two. -#}
{%- macro key_of_part(columns) -%}
{%- set texts = [] -%}
{%- for name in columns -%}
{%- set text = 'cast(' ~ name ~ ' as ' ~ sqlmetrics.type_text() ~ ')' -%}
{%- do texts.append('coalesce(cast(length(' ~ text ~ ') as ' ~ sqlmetrics.type_text() ~ ") || ':' || " ~ text ~ ", '-')") -%}
{%- endfor -%}
{{ sqlmetrics.text_digest(texts | join(' || ') if texts else "''") }}
{%- endmacro -%}

{#- Of the state as it was, what the condition says is built anew and yet is not there: kept as nothing, so that any strategy
    writes over it. -#}
{%- macro vanished_parts(macro, q, names, keys, columns, previous, previous_where) -%}
{%- do sqlmetrics.check_state_columns(macro, previous, ['state_key', 'row_count']) -%}
{%- set condition = q.where if previous_where is none else previous_where -%}
{%- if condition is not none and (condition is not string or not condition.strip()) -%}
{%- do sqlmetrics.refuse(macro, 'previous_where must be an SQL condition') -%}
{%- endif -%}
{%- set items = ['state_key'] -%}
{%- for entry in q.by -%}{%- do items.append(sqlmetrics.identifier(entry.name) ~ ' as slice_' ~ loop.index) -%}{%- endfor -%}
{%- set nothing = ['cast(0 as bigint) as row_count'] -%}
{%- for name, value in columns.items() -%}
{%- do nothing.append(sqlmetrics.to_double('0' if value.startswith('sum(') else 'null') ~ ' as ' ~ name) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(['state_key'] + names + keys + nothing) }}
from (
    select
        {{ (items + keys) | join(',\n        ') }}
    from {{ sqlmetrics.named_relation(previous.relation) }}
    where row_count > 0
{%- if condition is not none %}
        and {{ sqlmetrics.expression(condition) }}
{%- endif %}
) as previous_parts
where not exists (
    select 1
    from parts_with_keys
    where parts_with_keys.state_key = previous_parts.state_key
)
{%- endmacro -%}

{#- The lowest and the highest score, and whether scores between them are probabilities. -#}
{%- macro range_of_scores(macro, range) -%}
{%- if range is none -%}
{{ return({'lowest': 0, 'highest': 1, 'given': false, 'probabilities': true}) }}
{%- endif -%}
{%- set wrong = [] -%}
{%- if not sqlmetrics.is_list(range) or range | length != 2 -%}
{%- do wrong.append(range) -%}
{%- else -%}
{%- for one in range if one is not number or one is boolean or not (-1e300 <= one and one <= 1e300) -%}{%- do wrong.append(one) -%}{%- endfor -%}
{%- endif -%}
{%- if wrong or not range[0] < range[1] -%}
{%- do sqlmetrics.refuse(macro, 'range must be the lowest and the highest score, as in ⟨range⟩=[-5, 5], not ' ~ sqlmetrics.shown(range)) -%}
{%- endif -%}
{{ return({'lowest': range[0], 'highest': range[1], 'given': true, 'probabilities': 0 <= range[0] and range[1] <= 1}) }}
{%- endmacro -%}

{#- The score of every row, or its bin. What lies outside of a range that was given belongs to the first or the last bin; without
    one, scores are probabilities. -#}
{%- macro scores_with_keys(macro, rows_from, carried, bins, ends) -%}
{%- set words = "'" ~ macro ~ ": the score ' || cast(score as " ~ sqlmetrics.type_text() ~ ") || ' is no probability: give the lowest and the highest score, as in range=[-5, 5]'" -%}
{%- set columns = carried + ['score', 'pos', 'neg'] -%}
{%- set key = 'score' if bins is none else 'bin' -%}
select
    {{ sqlmetrics.lines(columns) }},
{%- if ends.probabilities %}
    case
        when score < 0 or score > 1 then {{ sqlmetrics.raised(words) }}
        else {{ sqlmetrics.to_double(key) }}
    end as score_key
{%- else %}
    {{ sqlmetrics.to_double(key) }} as score_key
{%- endif %}
from {{ rows_from if bins is none else '(\n    ' ~ sqlmetrics.indented(sqlmetrics.bins_of_range(rows_from, carried, bins, ends)) ~ '\n) as in_bins' }}
{%- endmacro -%}

{%- macro bins_of_range(rows_from, carried, bins, ends) -%}
{%- if ends.lowest == 0 and ends.highest == 1 -%}
{{ sqlmetrics.bins_of_equal_width({'params': {'bins': bins}, 'where': ''}, rows_from, carried) }}
{%- else -%}
{%- set lowest = sqlmetrics.to_double(sqlmetrics.number(ends.lowest)) -%}
{%- set width = sqlmetrics.to_double(sqlmetrics.number(ends.highest)) ~ ' - ' ~ lowest -%}
select
    {{ sqlmetrics.lines(carried + ['score', 'pos', 'neg']) }},
    least(greatest(floor((score - {{ lowest }}) / ({{ width }}) * {{ bins }}), 0), {{ bins - 1 }}) as bin
from {{ rows_from }}
{%- endif -%}
{%- endmacro -%}

{#- What a state was made with, in words that are compared as they are. The number behind its kind is raised when states of
    this version and older ones are not to be added up. -#}
{%- macro settings_of_scores(bins, ends, eps, q, buckets) -%}
{{ 'score_state 3: bins=' ~ ('none' if bins is none else bins) ~ '; range=' ~ ends.lowest ~ ' to ' ~ ends.highest
    ~ '; scores=' ~ ('probabilities' if ends.probabilities else 'any') ~ '; eps=' ~ eps ~ '; ' ~ sqlmetrics.words_of_weights(q.roles) ~ '; ' ~ sqlmetrics.words_of_columns(q, buckets) ~ ';' }}
{%- endmacro -%}

{%- macro settings_of_metrics(q, buckets) -%}
{{ return(['metric_state 3: of ' ~ q.metrics[0].requires | join(', '), sqlmetrics.words_of_weights(q.roles), sqlmetrics.words_of_columns(q, buckets)] | join('; ') ~ ';') }}
{%- endmacro -%}

{#- What a state has sums of. Counts have every metric of counts, whatever its parameters, but for how many items of a list were
    counted. -#}
{%- macro contents_of_state(q) -%}
{%- set words = [] -%}
{%- set keys = sqlmetrics.keys_of_state(q.metrics[0]) -%}
{%- if keys -%}{%- do words.append(sqlmetrics.words_of_keys(keys)) -%}{%- endif -%}
{%- for k in sqlmetrics.cuts_of_lists(q.metrics) -%}{%- do words.append(sqlmetrics.words_of_cut(k)) -%}{%- endfor -%}
{%- for one in q.requested if not keys -%}{%- do words.append(sqlmetrics.words_of_metric(one)) -%}{%- endfor -%}
{{ return(words | join('; ') ~ ';') }}
{%- endmacro -%}

{#- Whether a part has these contents, and their sums: the table may have got a column after the part was written. -#}
{%- macro has_contents(words, state) -%}
{%- set conditions = [sqlmetrics.text_position(sqlmetrics.text_literal('; ' ~ words ~ ';'), "'; ' || made_for") ~ ' > 0'] -%}
{%- for column in state if column.aggregate == 'sum' -%}{%- do conditions.append(column.name ~ ' is not null') -%}{%- endfor -%}
{{ return(conditions | join(' and ')) }}
{%- endmacro -%}

{%- macro words_of_weights(roles) -%}
{{ return(sqlmetrics.words_of_roles(roles, ['weight', 'total', 'group_weight']) or 'weight=none') }}
{%- endmacro -%}

{#- The other columns that the sums are of: those of one score are not added to those of another. -#}
{%- macro words_of_columns(q, buckets) -%}
{%- set names = [] -%}
{%- for role in q.roles | sort if role not in ['weight', 'total', 'group_weight'] -%}{%- do names.append(role) -%}{%- endfor -%}
{%- set roles = dict(q.roles) -%}
{%- if buckets is not none -%}
{%- do roles.update({'cluster': q.certainty.cluster}) -%}
{%- do names.append('cluster') -%}
{%- endif -%}
{{ return(sqlmetrics.words_of_roles(roles, names)) }}
{%- endmacro -%}

{%- macro words_of_roles(roles, names) -%}
{%- set words = [] -%}
{%- for role in names if role in roles -%}
{%- do words.append(role ~ '=' ~ (roles[role].column if 'column' in roles[role] else '(' ~ roles[role].sql.strip() ~ ')')) -%}
{%- endfor -%}
{{ return(words | join(', ')) }}
{%- endmacro -%}

{%- macro words_of_keys(keys) -%}
{{ return('counts by ' ~ keys | join(', ')) }}
{%- endmacro -%}

{%- macro words_of_metric(one) -%}
{%- set given = [] -%}
{%- for name, value in one.parameters.items() -%}{%- do given.append(name ~ '=' ~ ('none' if value is none else value | string)) -%}{%- endfor -%}
{{ one.name ~ ' = ' ~ one.metric.name ~ '(' ~ given | join(', ') ~ ')' }}
{%- endmacro -%}

{#- The rows that count with the bucket of their cluster, the same as where an interval is made of the log itself. -#}
{%- macro rows_in_buckets(q, rows_from, keys, buckets) -%}
{%- set columns = keys | list -%}
{%- for column in sqlmetrics.derived_columns(q.derived) if column != 'cluster_id' -%}{%- do columns.append(column) -%}{%- endfor -%}
{#- The name that a cluster has in `named_rows_step`. -#}
{%- set name = sqlmetrics.name_of_cluster(q, 'cluster_id', 'cluster_id') -%}
{%- set in_buckets -%}
select
    {{ sqlmetrics.lines(columns + ['cast(' ~ sqlmetrics.bucket_of('digest', buckets) ~ ' as integer) as bucket']) }}
from (
    select
        {{ (columns + [sqlmetrics.text_digest(name) ~ ' as digest']) | join(',\n        ') }}
    from {{ rows_from }}
) as digested
{%- endset -%}
{{ return(sqlmetrics.step('rows_in_buckets', in_buckets, 'each in one of ' ~ buckets ~ ' buckets of clusters')) }}
{%- endmacro -%}

{#- What the metrics keep of a part of the rows, name -> aggregate. -#}
{%- macro columns_of_state(macro, metrics) -%}
{%- set columns = {} -%}
{%- for m in metrics -%}
{%- if m.requires != metrics[0].requires -%}
{%- do sqlmetrics.refuse(macro, m.as ~ ' and ' ~ metrics[0].as ~ ' count different rows: give each a state of its own') -%}
{%- elif sqlmetrics.keys_of_state(m) != sqlmetrics.keys_of_state(metrics[0]) -%}
{%- do sqlmetrics.refuse(macro, m.as ~ ' and ' ~ metrics[0].as ~ ' are kept by different columns: give each a state of its own') -%}
{%- endif -%}
{%- for column in sqlmetrics.state_of(macro, m).state -%}
{%- do columns.update({column.name: column.aggregate ~ '(' ~ sqlmetrics.indented(column.value) ~ ')'}) -%}
{%- endfor -%}
{%- endfor -%}
{{ return(columns) }}
{%- endmacro -%}

{#- A metric with the columns that it needs in a state: its value, written once, notes them. -#}
{%- macro state_of(macro, m) -%}
{%- if not sqlmetrics.is_word(m.as) -%}
{%- do sqlmetrics.refuse(macro, "metrics: in a state 'as' must be a simple word, not '" ~ m.as ~ "'") -%}
{%- endif -%}
{%- if 'group_weight' in m.requires -%}
{#- Who reads the state asks for the sum and the count of a mean. -#}
{%- do sqlmetrics.refuse(macro, 'group_weight: a state keeps means over groups that count the same') -%}
{%- endif -%}
{%- set noted = sqlmetrics.with_noted_state(m) -%}
{%- if not noted.state -%}
{%- do sqlmetrics.refuse(macro, m.name ~ ' cannot be added up from parts: ' ~ sqlmetrics.why_stateless(m) ~ '; a state of metrics takes ' ~ sqlmetrics.additive_metrics() | join(', ') ) -%}
{%- endif -%}
{{ return(noted) }}
{%- endmacro -%}

{#- Why a metric_state does not keep a metric, as the file of its frame says. -#}
{%- macro why_stateless(m) -%}
{%- set frame = sqlmetrics.known_frames()[m.frames[-1]] -%}
{%- if m.no_weight -%}
{{ return(m.no_weight) }}
{%- elif frame.state == 'scores' -%}
{{ return('it ranks or bins the scores, which a state of scores keeps (score_state of the package, state without metrics elsewhere)') }}
{%- elif frame.stateless is not none -%}
{{ return(frame.stateless) }}
{%- endif -%}
{{ return('it is a table with a row for each ' ~ frame.state if frame.state is not none and m.table else 'it is no quotient of sums over rows or groups') }}
{%- endmacro -%}

{#- What is added up in a frame that is kept by columns of its own; of lists that are cut, down to there. -#}
{%- macro sums_of_frame(m, state) -%}
{%- set sums = [] -%}
{%- if state.of is defined -%}
{%- for one in sqlmetrics.sums_of_lists(m) -%}
{%- do sums.append({'name': one.name, 'value': one.value if m.k is none else 'case when ' ~ sqlmetrics.first_items(m) ~ ' then ' ~ one.value ~ ' else 0 end'}) -%}
{%- endfor -%}
{%- else -%}
{%- for name, value in state.sums.items() -%}{%- do sums.append({'name': name, 'value': value}) -%}{%- endfor -%}
{%- endif -%}
{{ return(sums) }}
{%- endmacro -%}

{#- Nothing is noted of a metric that takes anything else of its frame than these aggregates. Where the frame is kept by columns of
    its own, the sums are those that it names, for all its metrics. -#}
{%- macro with_noted_state(m) -%}
{%- set state = sqlmetrics.known_frames()[m.frames[-1]].state -%}
{%- if state is mapping -%}
{%- set sums = [] -%}
{%- for one in sqlmetrics.sums_of_frame(m, state) -%}{%- do sums.append({'name': one.name, 'aggregate': 'sum', 'value': one.value}) -%}{%- endfor -%}
{{ return(dict(m, state=sums)) }}
{%- elif state not in ['row', 'group'] or m.query or m.table or (state == 'row' and not m.has_value) -%}
{{ return(dict(m, state=[])) }}
{%- endif -%}
{%- set noted = dict(m, state=[]) -%}
{%- set values = [] -%}
{%- for column in m['columns'] -%}{%- do values.append(sqlmetrics.metric_value(noted, column.name)) -%}{%- endfor -%}
{%- set rest = values | join(' ') | replace('sum(state_', '') | replace('max(state_', '') | replace('min(state_', '') -%}
{%- for aggregate in ['sum(', 'count(', 'avg(', 'min(', 'max('] if aggregate in rest -%}
{{ return(dict(m, state=[])) }}
{%- endfor -%}
{#- A maximum may be NULL in a part that has it. -#}
{%- set sums = [] -%}
{%- for column in noted.state if column.aggregate == 'sum' -%}{%- do sums.append(column.name) -%}{%- endfor -%}
{%- if noted.state and not sums -%}{%- do noted.state.append({'name': m.as ~ '_count', 'aggregate': 'sum', 'value': '1'}) -%}{%- endif -%}
{{ return(noted) }}
{%- endmacro -%}

{#- The names of the metrics that metric_state takes. -#}
{%- macro additive_metrics() -%}
{%- set names = [] -%}
{%- for name, why in sqlmetrics.states_of_metrics().items() if why is none -%}{%- do names.append(name) -%}{%- endfor -%}
{{ return(names | sort) }}
{%- endmacro -%}

{#- name -> none where metric_state takes the metric, else why it does not. -#}
{%- macro states_of_metrics() -%}
{%- set found = {} -%}
{%- for name in sqlmetrics.known_metrics() -%}
{%- set metric = sqlmetrics.metric_definition(name) -%}
{%- set spec = {'name': name} -%}
{%- for parameter in metric.parameters.values() if parameter.required -%}
{%- do spec.update({parameter.name: {'columns': {'a': 'b'}, 'quantiles': {0.5: 'b'}}.get(parameter.type, 1)}) -%}
{%- endfor -%}
{%- set one = sqlmetrics.requested_metric('metric_state', spec, none) -%}
{%- set m = sqlmetrics.planned_metric_of_state(one, [], none) -%}
{%- do found.update({name: none if sqlmetrics.with_noted_state(m).state else sqlmetrics.why_stateless(m)}) -%}
{%- endfor -%}
{{ return(found) }}
{%- endmacro -%}
