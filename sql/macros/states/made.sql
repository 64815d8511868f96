{#- How states are made: the contributions of a part of the rows to its metrics, stored. dbt and the Python runner both come here.
    `call` is a call as the planner takes it. -#}

{#- The plan of a state of metrics, or of `scores` {bins, eps, range}: this has the clicks at each score, and beside them the sums of a few
    metrics. Its parts are told apart by their score too, others by classes, items or the value of a field, or by nothing but slices. -#}
{%- macro planned_state(call, buckets, scores=none) -%}
{%- set macro = call.macro -%}
{%- do sqlmetrics.check_rules(macro, [
    [buckets is none and call.cluster is not none, 'cluster requires ⟨buckets⟩; add ⟨buckets⟩=20 or remove it'],
    [buckets is not none and not sqlmetrics.parameter_fits({'type': 'integer', 'minimum': 2, 'maximum': 1000}, buckets), 'buckets must be a whole number between 2 and 1000, not ' ~ sqlmetrics.shown(buckets)],
    [buckets is not none and call.cluster is none, "buckets requires ⟨cluster⟩, the unit whose rows are correlated, as in ⟨cluster⟩='user_id'"],
]) -%}
{%- set scores = none if scores is none else sqlmetrics.planned_scores(macro, scores) -%}
{%- set metrics = call.metrics if scores is none else [{'name': 'log_loss', 'eps': scores.eps}, 'brier', 'copc', 'pcoc'] -%}
{#- The confidence is that of the reader; here it only has to be some number. -#}
{%- set q = sqlmetrics.plan(dict(call, metrics=metrics, confidence=none if buckets is none else 0.95, later=['catalog', 'popularity'])) -%}
{%- set of_groups = sqlmetrics.is_state_of_groups(q.metrics[0]) -%}
{%- do sqlmetrics.check_rules(macro, [
    [q.groupings, sqlmetrics.single_grouping()],
    [q.models, 'score must be one column, not a list'],
    [buckets is not none and of_groups and q.interval_options.cluster != q.roles.get('group'), 'cluster: for grouped metrics it must be the same column as ⟨group⟩'],
]) -%}
{%- set keys = sqlmetrics.keys_of_state(q.metrics[0]) if scores is none else ['score_key'] -%}
{%- set clicks = [{'name': 'positives', 'aggregate': 'sum', 'value': 'pos'}, {'name': 'negatives', 'aggregate': 'sum', 'value': 'neg'}] -%}
{#- Scores that are no probabilities have an AUC alone, and need not lie between 0 and 1. -#}
{%- set sums = sqlmetrics.columns_of_state(macro, q.metrics) if scores is none or scores.are_probabilities else [] -%}
{%- set problems = [] -%}
{%- set hint = 'is outside [0, 1] (scores that are not probabilities need the lowest and the highest, as in range=[-5, 5])' -%}
{%- for rule in q.problems if scores is none or scores.are_probabilities or rule.column != 'score' -%}
{%- do problems.append(dict(rule, words=hint) if scores is not none and rule.column == 'score' else rule) -%}
{%- endfor -%}
{%- set kind = 'rows with ' ~ q.metrics[0].requires | join(', ') ~ '; ' if scores is none else scores.words -%}
{{ return(dict(q, problems=problems, state={
    'macro': macro,
    'buckets': buckets,
    'scores': scores,
    'of_groups': of_groups,
    'keys': keys,
    'columns': sqlmetrics.distinct(([] if scores is none else clicks) + sums),
    'made_with': kind ~ sqlmetrics.describe_roles(q, buckets),
    'made_for': none if keys else sqlmetrics.contents_of_state(q.requested),
})) }}
{%- endmacro -%}

{#- How scores are kept: in how many bins, between which ends, and whether what lies between these are probabilities. -#}
{%- macro planned_scores(macro, scores) -%}
{%- set range = scores.range -%}
{%- set ends = [0, 1] if range is none else range if sqlmetrics.is_list(range) and range | length == 2 else [none, none] -%}
{%- if scores.bins is not none -%}{%- do sqlmetrics.check_whole(macro, 'bins', scores.bins, 1) -%}{%- endif -%}
{%- for end in ends if not sqlmetrics.parameter_fits({'type': 'number'}, end) or not ends[0] < ends[1] -%}
{%- do sqlmetrics.raise_error(macro, 'range must be the lowest and the highest score, as in ⟨range⟩=[-5, 5], not ' ~ sqlmetrics.shown(range)) -%}
{%- endfor -%}
{{ return(dict(
    scores,
    lowest=ends[0],
    highest=ends[1],
    are_probabilities=0 <= ends[0] and ends[1] <= 1,
    words='bins=' ~ ('none' if scores.bins is none else scores.bins) ~ '; range=' ~ ends[0] ~ ' to ' ~ ends[1] ~ '; eps=' ~ scores.eps ~ '; '
)) }}
{%- endmacro -%}

{#- The statement of a planned state: one row per slice, key and bucket, with the sums of its metrics. `previous` is the state as it
    was, as a reader of states takes it, or none: what it had of the parts that are built again, and that are no longer there, is written
    over as nothing, by any strategy.

    state_key   never NULL, and different in any two rows: the key of `merge` and of microbatch
    bins        of a score_state, in how many bins the scores are: NULL where they are exact
    made_with   the settings of all sums: parts with other settings are not to be added up
    made_for    of sums without keys, the metrics that they are of: a part may have others than the next -#}
{%- macro state_statement(q, previous=none, previous_where=none) -%}
{%- set state = q.state -%}
{%- set names = sqlmetrics.slice_columns(q) -%}
{%- set means = sqlmetrics.means_of_state(q.metrics) -%}
{%- set numbered = names | length > 0 and (state.of_groups or means | length > 0) -%}
{%- set rows = 'rows_with_slice_id' if numbered else 'valid_rows' -%}
{%- set slices = ['slice_id'] if numbered else names -%}
{%- set keys = state['keys'] + ([] if state.buckets is none else ['bucket']) -%}
{%- set steps = sqlmetrics.source_steps(q, {'names': names, 'numbered': numbered, 'read_from': 'source'})
    + (sqlmetrics.parts_of_groups(q, rows, slices, keys) if state.of_groups else sqlmetrics.parts_of_rows(q, rows, slices, keys, means)) -%}
{%- set sums = sqlmetrics.names_of(state['columns']) -%}
{%- set bins = 'null' if state.scores is none or state.scores.bins is none else state.scores.bins | int -%}
{%- set settings = [] if state.scores is none else ['cast(' ~ bins ~ ' as bigint) as bins'] -%}
{%- for name, text in {'made_with': state.made_with, 'made_for': state.made_for}.items() if text is not none -%}
{%- do settings.append('cast(' ~ sqlmetrics.text_literal(text) ~ ' as ' ~ sqlmetrics.type_text() ~ ') as ' ~ name) -%}
{%- endfor -%}
{%- set shown = sqlmetrics.shown_slices(q, keys + sums) -%}
{%- set parts_with_keys -%}
select
    {{ sqlmetrics.select_list([sqlmetrics.key_of_part(names + keys) ~ ' as state_key'] + names + keys + ['row_count'] + sums) }}
from parts
{%- if numbered %}
inner join slices
    on parts.slice_id = slices.slice_id
{%- endif -%}
{%- endset -%}
{%- set steps = steps + [sqlmetrics.step('parts_with_keys', parts_with_keys, 'each with a key that is never NULL', stored=previous is not none)] -%}
{%- set ending -%}
select
    {{ sqlmetrics.select_list(['state_key'] + sqlmetrics.shown_as(names, shown) + keys + settings + ['row_count'] + sums) }}
from parts_with_keys
{%- if previous is not none %}
union all
select
    {{ sqlmetrics.select_list(['state_key'] + shown + keys + settings + ['cast(0 as bigint)'] + [sqlmetrics.to_double('null')] * sums | length) }}
from {{ sqlmetrics.bracketed(sqlmetrics.previous_parts(q, previous, q.where if previous_where is none else previous_where), 'previous_parts') }}
where not exists (
    select 1
    from parts_with_keys
    where parts_with_keys.state_key = previous_parts.state_key
)
{%- elif previous_where is not none -%}
{%- do sqlmetrics.raise_error(state.macro, 'previous_where requires previous; add previous=this or remove it') -%}
{%- endif -%}
{%- endset -%}
-- state of {{ sqlmetrics.comment_text(q.title) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(steps, ending)) }}
{%- endmacro -%}

{%- macro previous_parts(q, previous, condition) -%}
{%- do sqlmetrics.check_state_columns(q.state.macro, previous, ['state_key', 'row_count']) -%}
{%- if condition is not none and (condition is not string or not condition.strip()) -%}
{%- do sqlmetrics.raise_error(q.state.macro, 'previous_where must be an SQL condition') -%}
{%- endif -%}
select *
from {{ sqlmetrics.named_relation(previous.relation) }}
where row_count > 0
{{- '\n    and ' ~ sqlmetrics.expression(condition) if condition is not none }}
{%- endmacro -%}

{#- The names that the slices have in the state: none is that of a column of its own. -#}
{%- macro shown_slices(q, own) -%}
{%- set taken = ['state_key', 'bins', 'made_with', 'made_for', 'row_count'] + own -%}
{%- set shown = [] -%}
{%- for entry in q.by -%}
{%- if entry.name | lower in taken -%}
{%- do sqlmetrics.raise_error(q.state.macro, "by: '" ~ entry.name ~ "' is the name of a column of every state; name it as in ⟨by⟩=['my_name = " ~ entry.name ~ "']") -%}
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

{#- How many rows a part has, or what its pre-aggregated rows stand for, which need not be a whole number. -#}
{%- macro rows_of_part(q) -%}
{%- if 'total' in q.metrics[0].requires -%}
{{ sqlmetrics.to_double('sum(weight)' if q.state.of_groups else 'sum(pos + neg)') }}
{%- else -%}
cast({{ 'sum(row_count)' if q.state.of_groups else 'count(*)' }} as bigint)
{%- endif -%}
{%- endmacro -%}

{#- One row per slice and key, with the sums of `own` columns. A sum is never NULL: where it is, the column was added to the table after the
    part, or is of another frame. -#}
{%- macro parts_step(q, name, rows_from, slices, keys, own) -%}
{%- set parts -%}
select
    {{- sqlmetrics.leading(slices + keys) }}
{%- for column in q.state['columns'] %}
{%- set value = column.aggregate ~ '(' ~ sqlmetrics.indented(column.value) ~ ')' %}
    {{ sqlmetrics.to_double('null' if column.name not in own else 'coalesce(' ~ value ~ ', 0)' if column.aggregate == 'sum' else value) }} as {{ column.name }},
{%- endfor %}
    {{ sqlmetrics.rows_of_part(q) }} as row_count
from {{ rows_from }}
{{- sqlmetrics.group_by(slices + keys) }}
{%- endset -%}
{{ return(sqlmetrics.step(name, parts, 'one per slice' ~ (', ' ~ keys | join(', ') if keys))) }}
{%- endmacro -%}

{#- The rows, or the groups, with the bucket of their cluster, the same as in an interval of the log itself. -#}
{%- macro in_buckets(q, name, rows_from, column) -%}
{%- if q.state.buckets is none -%}{{ return([]) }}{%- endif -%}
{%- set in_buckets -%}
select
    *,
    cast({{ sqlmetrics.bucket_of(sqlmetrics.text_digest(sqlmetrics.name_of_cluster(q, column, column)), q.state.buckets) }} as bigint) as bucket
from {{ rows_from }}
{%- endset -%}
{{ return([sqlmetrics.step(name, in_buckets, 'each in one of ' ~ q.state.buckets ~ ' buckets of clusters')]) }}
{%- endmacro -%}

{#- Rows next to the means of their part, so that squares are those of small numbers; scores with their key. -#}
{%- macro parts_of_rows(q, rows_from, slices, keys, means) -%}
{%- set steps = sqlmetrics.in_buckets(q, 'rows_in_buckets', rows_from, 'cluster_id') -%}
{%- set rows_from = steps[-1].name if steps else rows_from -%}
{%- set of_parts = slices + ([] if q.state.buckets is none else ['bucket']) -%}
{%- if means -%}
{%- set carried = sqlmetrics.derived_columns(q.derived) -%}
{%- set f = {'name': 'centred_rows', 'cte': 'centred_rows', 'rows': 'every row beside the means of its part', 'suffix': '', 'where': '', 'uses': means, 'carried': carried} -%}
{%- set steps = steps + sqlmetrics.frame_steps(f, rows_from, of_parts) -%}
{%- elif q.state.scores is not none -%}
{%- set scored = sqlmetrics.scores_with_keys(q.state.scores, rows_from, of_parts + (['weight'] if 'weight' in q.derived else [])) -%}
{%- set steps = steps + [sqlmetrics.step('scores_with_keys', scored, 'every row with its score' ~ (' bin' if q.state.scores.bins is not none))] -%}
{%- endif -%}
{{ return(steps + [sqlmetrics.parts_step(q, 'parts', steps[-1].name if steps else rows_from, slices, keys, sqlmetrics.names_of(q.state['columns']))]) }}
{%- endmacro -%}

{#- The sums over the groups of each frame: metrics whose frames differ, or are made with other parameters as `err` with its highest
    grade, each have their own value of a group, and one frame may drop a group that another one has. -#}
{%- macro parts_of_groups(q, rows_from, slices, keys) -%}
{%- set steps = [] -%}
{%- set frames = sqlmetrics.frames_of(q) -%}
{%- for frame in frames -%}
{%- set state = sqlmetrics.known_frames()[frame.name].state -%}
{%- set f = dict(frame, uses=frame.uses + (state.uses if state is mapping else [])) -%}
{%- set own = sqlmetrics.frame_steps(f, rows_from, slices) + sqlmetrics.in_buckets(q, f.cte ~ '_in_buckets', f.cte, 'group_id') -%}
{%- set sums = sqlmetrics.names_of(sqlmetrics.columns_of_state(q.state.macro, f.metrics)) -%}
{%- do steps.extend(own + [sqlmetrics.parts_step(q, 'parts_of_' ~ f.cte, own[-1].name, slices, keys, sums)]) -%}
{%- endfor -%}
{%- set parts -%}
select
    {{- sqlmetrics.leading(slices + keys) }}
{%- for column in q.state['columns'] %}
    {{ 'coalesce(max(' ~ column.name ~ '), 0)' if column.aggregate == 'sum' else column.aggregate ~ '(' ~ column.name ~ ')' }} as {{ column.name }},
{%- endfor %}
    max(row_count) as row_count
from (
{%- for frame in frames %}
    select *
    from parts_of_{{ frame.cte ~ ('\n    union all' if not loop.last) }}
{%- endfor %}
) as parts_of_frames
{{- sqlmetrics.group_by(slices + keys) }}
{%- endset -%}
{{ return(steps + [sqlmetrics.step('parts', parts, 'the sums of all frames')]) }}
{%- endmacro -%}

{#- The score of every row, or its bin. A score outside of the range belongs to the first or the last bin. -#}
{%- macro scores_with_keys(scores, rows_from, carried) -%}
{%- set bins = scores.bins -%}
{%- set key = 'score' -%}
{%- if bins is not none and scores.lowest == 0 and scores.highest == 1 -%}
{%- set rows_from = sqlmetrics.bracketed(sqlmetrics.bins_of_equal_width({'params': {'bins': bins}, 'where': ''}, rows_from, carried), 'in_bins') -%}
{%- set key = 'bin' -%}
{%- elif bins is not none -%}
{%- set lowest = sqlmetrics.to_double(sqlmetrics.number(scores.lowest)) -%}
{%- set highest = sqlmetrics.to_double(sqlmetrics.number(scores.highest)) -%}
{%- set key = 'least(greatest(floor((score - ' ~ lowest ~ ') / (' ~ highest ~ ' - ' ~ lowest ~ ') * ' ~ bins ~ '), 0), ' ~ (bins - 1) ~ ')' -%}
{%- endif -%}
select
    {{ sqlmetrics.select_list(carried + ['score', 'pos', 'neg', sqlmetrics.to_double(key) ~ ' as score_key']) }}
from {{ rows_from }}
{%- endmacro -%}

{#- One text that no two parts share: of each column its length and itself, so that no value can pass for two. -#}
{%- macro key_of_part(columns) -%}
{%- set text = 'cast({0} as ' ~ sqlmetrics.type_text() ~ ')' -%}
{%- set length_and_text = 'coalesce(cast(length(' ~ text ~ ') as ' ~ sqlmetrics.type_text() ~ ") || ':' || " ~ text ~ ", '-')" -%}
{{ sqlmetrics.text_digest(sqlmetrics.for_each(columns, length_and_text) | join('\n        || ') or "''") }}
{%- endmacro -%}
