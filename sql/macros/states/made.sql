{#- How states are made: the contributions of a part of the rows to its metrics, stored. dbt and the Python runner both come here.
    `call` is a call as the planner takes it. -#}

{#- The plan of a score_state, whose metrics are those to which each score contributes. -#}
{%- macro planned_score_state(call, bins, eps, range, buckets) -%}
{%- if bins is not none and (bins is not number or bins is boolean or bins < 1 or bins - bins != 0 or bins != bins | int) -%}
{%- do sqlmetrics.refuse(call.macro, 'bins must be a whole number >= 1, not ' ~ sqlmetrics.shown(bins)) -%}
{%- endif -%}
{%- set ends = sqlmetrics.range_of_scores(call.macro, range) -%}
{%- set q = sqlmetrics.plan_of_state(dict(call, metrics=[{'name': 'log_loss', 'eps': eps}, 'brier', 'copc', 'pcoc']), buckets) -%}
{#- Scores that are not probabilities have an AUC alone, and need not lie between 0 and 1. -#}
{%- set problems = [] -%}
{%- for problem in q.problems if ends.probabilities or problem.column != 'score' -%}{%- do problems.append(problem) -%}{%- endfor -%}
{%- set columns = [{'name': 'positives', 'aggregate': 'sum', 'value': 'pos'}, {'name': 'negatives', 'aggregate': 'sum', 'value': 'neg'}] -%}
{%- for column in (sqlmetrics.columns_of_state(call.macro, q.metrics) if ends.probabilities else []) if column not in columns -%}{%- do columns.append(column) -%}{%- endfor -%}
{%- set kind = sqlmetrics.kind_of_score_state(bins is not none) -%}
{%- set settings = 'bins=' ~ ('none' if bins is none else bins) ~ '; range=' ~ ends.lowest ~ ' to ' ~ ends.highest ~ '; eps=' ~ eps ~ '; ' -%}
{{ return(dict(q, problems=problems, state={
    'macro': call.macro,
    'buckets': buckets,
    'bins': bins,
    'ends': ends,
    'keys': ['score_key'],
    'columns': columns,
    'texts': {'made_with': kind ~ settings ~ sqlmetrics.words_of_roles(q, buckets)},
})) }}
{%- endmacro -%}

{#- The plan of a metric_state. -#}
{%- macro planned_metric_state(call, buckets) -%}
{%- set q = sqlmetrics.plan_of_state(call, buckets) -%}
{%- set kind = sqlmetrics.kind_of_metric_state() ~ 'of ' ~ q.metrics[0].requires | join(', ') ~ '; ' -%}
{{ return(dict(q, state={
    'macro': call.macro,
    'buckets': buckets,
    'keys': sqlmetrics.keys_of_state(q.metrics[0]),
    'columns': sqlmetrics.columns_of_state(call.macro, q.metrics),
    'texts': {'made_with': kind ~ sqlmetrics.words_of_roles(q, buckets), 'made_for': sqlmetrics.contents_of_state(q)},
})) }}
{%- endmacro -%}

{#- How `made_with` begins. The number is raised when states of this version and older ones are not to be added up. -#}
{%- macro kind_of_score_state(binned) -%}
{{ return('score_state 4 of ' ~ ('bins' if binned else 'exact scores') ~ ': ') }}
{%- endmacro -%}

{%- macro kind_of_metric_state() -%}
{{ return('metric_state 4: ') }}
{%- endmacro -%}

{#- The plan of a state, with the cluster among its columns where it has buckets. -#}
{%- macro plan_of_state(call, buckets) -%}
{%- set macro = call.macro -%}
{%- if buckets is none and call.cluster is not none -%}
{%- do sqlmetrics.refuse(macro, 'cluster has a meaning with ⟨buckets⟩ only; give ⟨buckets⟩=20 or leave it out') -%}
{%- elif buckets is not none and (buckets is not number or buckets is boolean or buckets < 2 or buckets > 1000 or buckets != buckets | int) -%}
{%- do sqlmetrics.refuse(macro, 'buckets must be a whole number between 2 and 1000, not ' ~ sqlmetrics.shown(buckets)) -%}
{%- elif buckets is not none and call.cluster is none -%}
{%- do sqlmetrics.refuse(macro, "buckets needs ⟨cluster⟩: whose rows belong together, as in ⟨cluster⟩='user_id'") -%}
{%- endif -%}
{#- The confidence is that of the reader; here it only has to be some number. -#}
{%- set q = sqlmetrics.plan(dict(call, confidence=none if buckets is none else 0.95, later=['catalog', 'popularity'])) -%}
{%- if q.groupings or q.models -%}
{%- do sqlmetrics.refuse(macro, 'by is one list of columns, and ⟨score⟩ one column') -%}
{%- elif buckets is not none and sqlmetrics.is_state_of_groups(q.metrics[0]) and q.certainty.cluster != q.roles['group'] -%}
{%- do sqlmetrics.refuse(macro, 'cluster: metrics of groups are kept in buckets of these groups; give ⟨cluster⟩ what ⟨group⟩ is') -%}
{%- endif -%}
{{ return(q) }}
{%- endmacro -%}

{#- The lowest and the highest score, and whether scores between them are probabilities. -#}
{%- macro range_of_scores(macro, range) -%}
{%- set ends = [0, 1] if range is none else range if sqlmetrics.is_list(range) and range | length == 2 else [none, none] -%}
{%- for end in ends if end is not number or end is boolean or not (-1e300 <= end and end <= 1e300) or not ends[0] < ends[1] -%}
{%- do sqlmetrics.refuse(macro, 'range must be the lowest and the highest score, as in ⟨range⟩=[-5, 5], not ' ~ sqlmetrics.shown(range)) -%}
{%- endfor -%}
{{ return({'lowest': ends[0], 'highest': ends[1], 'probabilities': 0 <= ends[0] and ends[1] <= 1}) }}
{%- endmacro -%}

{#- The statement of a planned state: one row per slice, key and bucket, with the sums of its metrics. `previous` is the state as it
    was, as a reader of states takes it, or none.

    state_key   never NULL, and different in any two rows: the key of `merge` and of microbatch
    made_with   the settings of all sums: parts with other settings are not to be added up
    made_for    of a metric_state, the metrics that it has sums of: a part may have others than the next -#}
{%- macro state_statement(q, previous=none, previous_where=none) -%}
{%- set state = q.state -%}
{%- set names = sqlmetrics.slice_columns(q) -%}
{%- set of_groups = sqlmetrics.is_state_of_groups(q.metrics[0]) -%}
{%- set means = sqlmetrics.means_of_state(q.metrics) -%}
{%- set numbered = names | length > 0 and (of_groups or means | length > 0) -%}
{%- set rows = 'sliced' if numbered else 'observations' -%}
{%- set slices = ['slice_id'] if numbered else names -%}
{%- set keys = state['keys'] + ([] if state.buckets is none else ['bucket']) -%}
{%- set steps = sqlmetrics.source_steps(q, {'names': names, 'numbered': numbered, 'read_from': 'source'})
    + (sqlmetrics.parts_of_groups(q, rows, slices, keys) if of_groups else sqlmetrics.parts_of_rows(q, rows, slices, keys, means)) -%}
{%- set columns = ['row_count'] + sqlmetrics.names_of(state['columns']) -%}
{%- set buckets = [] if state.buckets is none else [state.buckets ~ ' as buckets'] -%}
{%- set shown = sqlmetrics.shown_slices(q, ['state_key', 'buckets'] + (state.texts | list) + keys + columns) -%}
{%- set texts = [] -%}
{%- for name, text in state.texts.items() -%}
{%- do texts.append('cast(' ~ sqlmetrics.text_literal(text) ~ ' as ' ~ sqlmetrics.type_text() ~ ') as ' ~ name) -%}
{%- endfor -%}
{%- set parts_with_keys -%}
select
    {{ sqlmetrics.lines([sqlmetrics.key_of_part(names + keys) ~ ' as state_key'] + names + keys + columns) }}
from parts
{%- if numbered %}
inner join slices
    on parts.slice_id = slices.slice_id
{%- endif -%}
{%- endset -%}
{%- do steps.append(sqlmetrics.step('parts_with_keys', parts_with_keys, 'each with a key that is never NULL', stored=previous is not none)) -%}
{%- if previous is not none -%}
{%- set vanished = sqlmetrics.vanished_parts(q, names, keys, previous, previous_where) -%}
{%- do steps.append(sqlmetrics.step('vanished_parts', vanished, 'parts of the state as it was that there are no longer')) -%}
{%- elif previous_where is not none -%}
{%- do sqlmetrics.refuse(state.macro, 'previous_where has a meaning with previous only; give previous=this or leave it out') -%}
{%- endif -%}
{%- set ending -%}
{%- for parts in ['parts_with_keys'] + ([] if previous is none else ['vanished_parts']) -%}
{{ 'union all\n' if not loop.first }}select
    {{ sqlmetrics.lines(['state_key'] + sqlmetrics.shown_as(names, shown) + keys + buckets + texts + columns) }}
from {{ parts ~ ('\n' if not loop.last) }}
{%- endfor -%}
{%- endset -%}
-- state of {{ sqlmetrics.comment_text(q.title) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(steps, ending)) }}
{%- endmacro -%}

{#- The names that the slices have in the state: none is that of a column of its own. -#}
{%- macro shown_slices(q, taken) -%}
{%- set shown = [] -%}
{%- for entry in q.by -%}
{%- if entry.name | lower in taken -%}
{%- do sqlmetrics.refuse(q.state.macro, "by: '" ~ entry.name ~ "' is the name of a column of every state; name it as in ⟨by⟩=['my_name = " ~ entry.name ~ "']") -%}
{%- endif -%}
{%- do shown.append(sqlmetrics.identifier(entry.name)) -%}
{%- endfor -%}
{{ return(shown) }}
{%- endmacro -%}

{%- macro shown_as(names, shown) -%}
{%- set items = [] -%}
{%- for name in names -%}{%- do items.append(name ~ ' as ' ~ shown[loop.index0]) -%}{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{#- One row per slice and key, with the sums of the rows. -#}
{%- macro parts(q, rows_from, slices, keys, metric_columns) -%}
{%- set items = [] -%}
{#- A sum is never NULL: where it is, the column was added to the table after the part. -#}
{%- for column in metric_columns -%}
{%- set value = column.aggregate ~ '(' ~ sqlmetrics.indented(column.value) ~ ')' -%}
{%- do items.append(sqlmetrics.to_double('coalesce(' ~ value ~ ', 0)' if column.aggregate == 'sum' else value) ~ ' as ' ~ column.name) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(slices + keys + [sqlmetrics.rows_of_part(q) ~ ' as row_count'] + items) }}
from {{ rows_from }}
{{- sqlmetrics.group_by(slices + keys) }}
{%- endmacro -%}

{#- How many rows a part has, or what its pre-aggregated rows stand for, which need not be a whole number. -#}
{%- macro rows_of_part(q) -%}
{%- set of_groups = sqlmetrics.is_state_of_groups(q.metrics[0]) -%}
{%- if 'total' in q.metrics[0].requires -%}
{{ return(sqlmetrics.to_double('sum(weight)' if of_groups else 'sum(pos + neg)')) }}
{%- endif -%}
{{ return('cast(' ~ ('sum(row_count)' if of_groups else 'count(*)') ~ ' as bigint)') }}
{%- endmacro -%}

{#- The rows with the bucket of their cluster, the same as in an interval of the log itself. -#}
{%- macro in_buckets(q, rows_from, cluster, column) -%}
select
    *,
    cast({{ sqlmetrics.bucket_of(sqlmetrics.text_digest(sqlmetrics.name_of_cluster(q, cluster, column)), q.state.buckets) }} as integer) as bucket
from {{ rows_from }}
{%- endmacro -%}

{#- Rows next to the means of their part, so that squares are those of small numbers; scores with their key. -#}
{%- macro parts_of_rows(q, rows_from, slices, keys, means) -%}
{%- set steps = [] -%}
{%- set of_parts = slices + ([] if q.state.buckets is none else ['bucket']) -%}
{%- if q.state.buckets is not none -%}
{%- set comment = 'each in one of ' ~ q.state.buckets ~ ' buckets of clusters' -%}
{%- do steps.append(sqlmetrics.step('rows_in_buckets', sqlmetrics.in_buckets(q, rows_from, 'cluster_id', 'cluster_id'), comment)) -%}
{%- endif -%}
{%- if means -%}
{%- set carried = [] -%}
{%- for name in sqlmetrics.derived_columns(q.derived) if name != 'cluster_id' -%}{%- do carried.append(name) -%}{%- endfor -%}
{%- set f = {'name': 'centred_rows', 'cte': 'centred_rows', 'rows': 'every row beside the means of its part', 'suffix': '', 'where': '', 'uses': means, 'carried': carried} -%}
{%- do steps.extend(sqlmetrics.frame_steps(f, steps[-1].name if steps else rows_from, of_parts)) -%}
{%- elif 'score_key' in keys -%}
{%- set scored = sqlmetrics.scores_with_keys(q.state, steps[-1].name if steps else rows_from, of_parts + (['weight'] if 'weight' in q.derived else [])) -%}
{%- do steps.append(sqlmetrics.step('scores_with_keys', scored, 'every row with its score' ~ (' bin' if q.state.bins is not none))) -%}
{%- endif -%}
{%- set parts = sqlmetrics.parts(q, steps[-1].name if steps else rows_from, slices, keys, q.state['columns']) -%}
{{ return(steps + [sqlmetrics.step('parts', parts, 'one per slice' ~ (', ' ~ keys | join(', ') if keys))]) }}
{%- endmacro -%}

{#- The sums over the groups of each frame: metrics whose frames differ, or are made with other parameters as `err` with its highest
    grade, each have their own value of a group, and one frame may drop a group that another one has. -#}
{%- macro parts_of_groups(q, rows_from, slices, keys) -%}
{%- set steps = [] -%}
{%- set frames = sqlmetrics.frames_of(q) -%}
{%- set parts = [] -%}
{%- for frame in frames -%}
{%- set state = sqlmetrics.known_frames()[frame.name].state -%}
{%- set f = dict(frame, uses=frame.uses + (state.uses if state is mapping else [])) -%}
{%- do steps.extend(sqlmetrics.frame_steps(f, rows_from, ['slice_id'] if slices else [])) -%}
{%- if q.state.buckets is not none -%}
{%- set in_buckets = sqlmetrics.in_buckets(q, f.cte, 'group_id', 'group_id') -%}
{%- do steps.append(sqlmetrics.step(f.cte ~ '_in_buckets', in_buckets, 'each in one of ' ~ q.state.buckets ~ ' buckets of groups')) -%}
{%- endif -%}
{%- set own = 'parts' if frames | length == 1 else 'parts_of_' ~ f.cte -%}
{%- set columns = sqlmetrics.columns_of_state(q.state.macro, f.metrics) -%}
{%- do parts.append({'name': own, 'columns': sqlmetrics.names_of(columns)}) -%}
{%- set of_frame = sqlmetrics.parts(q, steps[-1].name, slices, keys, columns) -%}
{%- do steps.append(sqlmetrics.step(own, of_frame, 'one per slice' ~ (', ' ~ keys | join(', ') if keys))) -%}
{%- endfor -%}
{%- if parts | length > 1 -%}
{%- do steps.append(sqlmetrics.step('parts', sqlmetrics.parts_of_all_frames(q, slices + keys, parts), 'the sums of all frames')) -%}
{%- endif -%}
{{ return(steps) }}
{%- endmacro -%}

{%- macro parts_of_all_frames(q, keys, parts) -%}
{%- set added = [] -%}
{%- for column in q.state['columns'] -%}
{%- do added.append(('coalesce(max(' ~ column.name ~ '), 0)' if column.aggregate == 'sum' else column.aggregate ~ '(' ~ column.name ~ ')') ~ ' as ' ~ column.name) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(keys + ['max(row_count) as row_count'] + added) }}
from (
{%- for part in parts %}
{%- set items = keys + ['row_count'] -%}
{%- for column in q.state['columns'] -%}{%- do items.append(column.name if column.name in part['columns'] else sqlmetrics.to_double('null') ~ ' as ' ~ column.name) -%}{%- endfor %}
    select
        {{ items | join(',\n        ') }}
    from {{ part.name ~ ('\n    union all' if not loop.last) }}
{%- endfor %}
) as parts_of_frames
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}

{#- The score of every row, or its bin. A score outside of the range belongs to the first or the last bin; a range within [0, 1] takes
    probabilities alone. -#}
{%- macro scores_with_keys(state, rows_from, carried) -%}
{%- set ends = state.ends -%}
{%- set words = "'" ~ state.macro ~ ": the score ' || cast(score as " ~ sqlmetrics.type_text() ~ ") || ' is no probability: give the lowest and the highest score, as in range=[-5, 5]'" -%}
{%- set key = sqlmetrics.to_double('score' if state.bins is none else 'bin') -%}
{%- set rows = rows_from -%}
{%- if state.bins is not none -%}
{%- set rows -%}
(
{%- if ends.lowest == 0 and ends.highest == 1 %}
    {{ sqlmetrics.indented(sqlmetrics.bins_of_equal_width({'params': {'bins': state.bins}, 'where': ''}, rows_from, carried)) }}
{%- else %}
{%- set lowest = sqlmetrics.to_double(sqlmetrics.number(ends.lowest)) %}
    select
        *,
        least(greatest(floor((score - {{ lowest }}) / ({{ sqlmetrics.to_double(sqlmetrics.number(ends.highest)) }} - {{ lowest }}) * {{ state.bins }}), 0), {{ state.bins - 1 }}) as bin
    from {{ rows_from }}
{%- endif %}
) as in_bins
{%- endset -%}
{%- endif -%}
select
    {{ sqlmetrics.lines(carried + ['score', 'pos', 'neg']) }},
{%- if ends.probabilities %}
    case
        when score < 0 or score > 1 then {{ sqlmetrics.raised(words) }}
        else {{ key }}
    end as score_key
{%- else %}
    {{ key }} as score_key
{%- endif %}
from {{ rows }}
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

{#- The parts of the state as it was that are built again and yet are not there: written over as nothing, by any strategy. -#}
{%- macro vanished_parts(q, names, keys, previous, previous_where) -%}
{%- do sqlmetrics.check_state_columns(q.state.macro, previous, ['state_key', 'row_count']) -%}
{%- set condition = q.where if previous_where is none else previous_where -%}
{%- if condition is not none and (condition is not string or not condition.strip()) -%}
{%- do sqlmetrics.refuse(q.state.macro, 'previous_where must be an SQL condition') -%}
{%- endif -%}
{%- set slices = [] -%}
{%- for entry in q.by -%}{%- do slices.append(sqlmetrics.identifier(entry.name) ~ ' as slice_' ~ loop.index) -%}{%- endfor -%}
{%- set nothing = ['cast(0 as bigint) as row_count'] -%}
{%- for column in q.state['columns'] -%}
{%- do nothing.append(sqlmetrics.to_double('0' if column.aggregate == 'sum' else 'null') ~ ' as ' ~ column.name) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(['state_key'] + names + keys + nothing) }}
from (
    select
        {{ (['state_key'] + slices + keys) | join(',\n        ') }}
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
