{#- Builds states: the stored contributions of a part of the rows to its metrics. dbt and the Python runner both use it. `call` is a
    call for the planner. -#}

{#- The plan of a state of metrics, or of `scores` {bins, eps, range}. A state of scores has the clicks at each score and the sums of
    a few metrics. Its parts are also keyed by score, others by class, item, the value of a field, or slices alone. -#}
{%- macro planned_state(call, buckets, scores=none) -%}
{%- set macro = call.macro -%}
{%- do sqlmetrics.check_rules(macro, [
    [buckets is none and call.cluster is not none, 'cluster requires ⟨buckets⟩; add ⟨buckets⟩=20 or remove it'],
    [buckets is not none and not sqlmetrics.parameter_fits({'type': 'integer', 'minimum': 2, 'maximum': 1000}, buckets), 'buckets must be a whole number between 2 and 1000, not ' ~ sqlmetrics.shown(buckets)],
    [buckets is not none and call.cluster is none, "buckets requires ⟨cluster⟩, the unit whose rows are correlated, as in ⟨cluster⟩='user_id'"],
]) -%}
{%- set scores = none if scores is none else sqlmetrics.planned_scores(macro, scores) -%}
{%- set metrics = call.metrics if scores is none else [{'name': 'log_loss', 'eps': scores.eps}, 'brier', 'copc', 'pcoc'] -%}
{#- The reader sets the confidence: any number works here. -#}
{%- set q = sqlmetrics.plan(dict(call, metrics=metrics, confidence=none if buckets is none else 0.95, later=['catalog', 'popularity'])) -%}
{%- set state = sqlmetrics.known_frames()[q.metrics[0].frames[-1]].state -%}
{#- Sums over groups, or over the items in their lists. -#}
{%- set of_groups = state == 'group' or (state is mapping and state.of is defined) -%}
{%- do sqlmetrics.check_rules(macro, [
    [q.groupings | length > 0, sqlmetrics.single_grouping()],
    [q.models | length > 0, 'score must be one column, not a list'],
    [buckets is not none and of_groups and q.interval_options.cluster != q.roles.get('group'), 'cluster: for grouped metrics it must be the same column as ⟨group⟩'],
]) -%}
{%- set keys = sqlmetrics.keys_of_state(q.metrics[0]) if scores is none else ['score_key'] -%}
{%- set clicks = [{'name': 'positives', 'aggregate': 'sum', 'value': 'pos'}, {'name': 'negatives', 'aggregate': 'sum', 'value': 'neg'}] -%}
{#- Scores that are not probabilities support AUC alone, and may be outside [0, 1]. -#}
{%- set sums = sqlmetrics.columns_of_state(macro, q.metrics) if scores is none or scores.are_probabilities else [] -%}
{%- set problems = [] -%}
{%- set hint = 'is outside [0, 1] (scores that are not probabilities need the lowest and the highest, as in range=[-5, 5])' -%}
{%- for rule in q.problems if scores is none or scores.are_probabilities or rule.column != 'score' -%}
{%- do problems.append(dict(rule, message=hint) if scores is not none and rule.column == 'score' else rule) -%}
{%- endfor -%}
{#- A state of counts serves all metrics of counts, a state of sums those with these parameters. -#}
{%- set contents -%}
{%- for metric_call in q.requested -%}{{ sqlmetrics.describe_metric(metric_call) ~ (';' if loop.last else '; ') }}{%- endfor -%}
{%- endset -%}
{%- set prefix = 'rows with ' ~ q.metrics[0].requires | join(', ') ~ '; ' if scores is none else scores.description -%}
{{ return(dict(q, problems=problems, state={
    'macro': macro,
    'buckets': buckets,
    'scores': scores,
    'of_groups': of_groups,
    'keys': keys,
    'columns': sqlmetrics.distinct(([] if scores is none else clicks) + sums),
    'made_with': prefix ~ sqlmetrics.describe_roles(q, buckets),
    'made_for': none if keys else contents,
})) }}
{%- endmacro -%}

{#- Storage of scores: the number of bins, their range, and whether it contains only probabilities. -#}
{%- macro planned_scores(macro, scores) -%}
{%- set range = scores.range -%}
{%- set ends = [0, 1] if range is none else range if sqlmetrics.is_list(range) and range | length == 2 else [none, none] -%}
{%- set numbers = sqlmetrics.parameter_fits({'type': 'number'}, ends[0]) and sqlmetrics.parameter_fits({'type': 'number'}, ends[1]) -%}
{%- do sqlmetrics.check_rules(macro, [
    sqlmetrics.whole_number_rule('bins', 1 if scores.bins is none else scores.bins, 1),
    [not numbers or ends[0] >= ends[1], 'range must be the lowest and the highest score, as in ⟨range⟩=[-5, 5], not ' ~ sqlmetrics.shown(range)],
]) -%}
{{ return(dict(
    scores,
    lowest=ends[0],
    highest=ends[1],
    are_probabilities=0 <= ends[0] and ends[1] <= 1,
    description='bins=' ~ ('none' if scores.bins is none else scores.bins) ~ '; range=' ~ ends[0] ~ ' to ' ~ ends[1] ~ '; eps=' ~ scores.eps ~ '; '
)) }}
{%- endmacro -%}

{#- The statement of a planned state: one row per slice, key and bucket, with the sums of its metrics. `previous` is the existing
    state, in the form that readers take, or none. If a rebuild no longer yields some of its rows, empty rows overwrite them, by any
    strategy.

    state_key   Unique and never NULL: the key of `merge` and of microbatch.
    bins        The number of bins of a score_state, or NULL for exact scores.
    made_with   The settings of all sums: parts with other settings must not be added up.
    made_for    The metrics of sums without keys, which may differ by part. -#}
{%- macro state_statement(q, previous=none, previous_where=none) -%}
{%- set state = q.state -%}
{%- set condition = q.where if previous_where is none else previous_where -%}
{%- do sqlmetrics.check_rules(state.macro, [
    [previous is none and previous_where is not none, 'previous_where requires previous; add previous=this or remove it'],
    sqlmetrics.condition_rule('previous_where', condition),
]) -%}
{%- if previous is not none -%}{%- do sqlmetrics.check_state_columns(state.macro, previous, ['state_key', 'row_count']) -%}{%- endif -%}
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
{%- set settings = ([] if state.scores is none else ['cast(' ~ bins ~ ' as bigint) as bins'])
    + [sqlmetrics.to_text(sqlmetrics.text_literal(state.made_with)) ~ ' as made_with']
    + ([] if state.made_for is none else [sqlmetrics.to_text(sqlmetrics.text_literal(state.made_for)) ~ ' as made_for']) -%}
{%- do sqlmetrics.check_slice_names(state.macro, q.by, ['state_key', 'bins', 'made_with', 'made_for', 'row_count'] + keys + sums, 'a column of every state') -%}
{%- set shown = sqlmetrics.shown_slices(q.by) -%}
{%- set parts_with_keys -%}
select
    {{ sqlmetrics.select_list([sqlmetrics.key_of_part(names + keys) ~ ' as state_key'] + names + keys + ['row_count'] + sums) }}
from parts
{%- if numbered %}
inner join slices on parts.slice_id = slices.slice_id
{%- endif -%}
{%- endset -%}
{%- set steps = steps + [sqlmetrics.step('parts_with_keys', parts_with_keys, 'parts with a non-null key', materialized=previous is not none)] -%}
{%- set ending -%}
select
    {{ sqlmetrics.select_list(['state_key'] + sqlmetrics.shown_as(names, shown) + keys + settings + ['row_count'] + sums) }}
from parts_with_keys
{%- if previous is not none %}
union all
select
    {{ sqlmetrics.select_list(['state_key'] + shown + keys + settings + ['cast(0 as bigint)'] + [sqlmetrics.to_double('null')] * sums | length) }}
from (
    select *
    from {{ sqlmetrics.named_relation(previous.relation) }}
    where row_count > 0
    {{- '\n        and ' ~ sqlmetrics.expression(condition) if condition is not none }}
) as previous_parts
where not exists (
    select 1
    from parts_with_keys
    where parts_with_keys.state_key = previous_parts.state_key
)
{%- endif -%}
{%- endset -%}
-- state of {{ sqlmetrics.comment_text(q.title) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(steps, ending)) }}
{%- endmacro -%}

{%- macro shown_as(names, shown) -%}
{%- set items = [] -%}
{%- for name in names -%}{%- do items.append(name ~ ' as ' ~ shown[loop.index0]) -%}{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{#- One row per slice and key, with the sums of `own` columns. A sum is NULL only if its column was added after the part, or belongs
    to another frame. -#}
{%- macro parts_step(q, name, rows_from, slices, keys, own) -%}
{#- Pre-aggregated rows count with their total, which may be fractional. -#}
{%- set counts = ['sum(weight)', 'sum(row_count)'] if q.state.of_groups else ['sum(pos + neg)', 'count(*)'] -%}
{%- set rows = sqlmetrics.to_double(counts[0]) if 'total' in q.metrics[0].requires else 'cast(' ~ counts[1] ~ ' as bigint)' -%}
{%- set parts -%}
select
    {{- sqlmetrics.leading(slices + keys) }}
{%- for column in q.state['columns'] %}
{%- set value = column.aggregate ~ '(' ~ sqlmetrics.indented(column.value) ~ ')' %}
    {{ sqlmetrics.to_double('null' if column.name not in own else 'coalesce(' ~ value ~ ', 0)' if column.aggregate == 'sum' else value) }} as {{ column.name }},
{%- endfor %}
    {{ rows }} as row_count
from {{ rows_from }}
{{- sqlmetrics.group_by(slices + keys) }}
{%- endset -%}
{{ return(sqlmetrics.step(name, parts, 'one per slice' ~ (', ' ~ keys | join(', ') if keys))) }}
{%- endmacro -%}

{#- Rows or groups with the bucket of their cluster, the same as in an interval of the log. -#}
{%- macro in_buckets(q, name, rows_from, column) -%}
{%- if q.state.buckets is none -%}{{ return([]) }}{%- endif -%}
{%- set in_buckets -%}
select
    *,
    cast({{ sqlmetrics.bucket_of(sqlmetrics.text_digest(sqlmetrics.name_of_cluster(q, column, column)), q.state.buckets) }} as bigint) as bucket
from {{ rows_from }}
{%- endset -%}
{{ return([sqlmetrics.step(name, in_buckets, 'each row in one of ' ~ q.state.buckets ~ ' buckets of clusters')]) }}
{%- endmacro -%}

{#- Rows with the means of their part, so that squared deviations are small; scores with their key. -#}
{%- macro parts_of_rows(q, rows_from, slices, keys, means) -%}
{%- set steps = sqlmetrics.in_buckets(q, 'rows_in_buckets', rows_from, 'cluster_id') -%}
{%- set rows_from = steps[-1].name if steps else rows_from -%}
{%- set of_parts = slices + ([] if q.state.buckets is none else ['bucket']) -%}
{%- if means -%}
{%- set carried = sqlmetrics.derived_columns(q.derived) -%}
{%- set f = {'name': 'centred_rows', 'cte': 'centred_rows', 'rows': 'rows with the means of their part', 'suffix': '', 'where': '', 'uses': means, 'carried': carried} -%}
{%- set steps = steps + sqlmetrics.frame_steps(f, rows_from, of_parts) -%}
{%- elif q.state.scores is not none -%}
{%- set scored = sqlmetrics.scores_with_keys(q.state.scores, rows_from, of_parts + (['weight'] if 'weight' in q.derived else [])) -%}
{%- set steps = steps + [sqlmetrics.step('scores_with_keys', scored, 'rows with their score' ~ (' bin' if q.state.scores.bins is not none))] -%}
{%- endif -%}
{{ return(steps + [sqlmetrics.parts_step(q, 'parts', steps[-1].name if steps else rows_from, slices, keys, sqlmetrics.names_of(q.state['columns']))]) }}
{%- endmacro -%}

{#- Sums over the groups of each frame. Metrics with other frames or parameters, such as the highest grade of `err`, have other values
    per group. One frame may also drop a group that another one has. -#}
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
{{ return(steps + [sqlmetrics.step('parts', parts, 'sums of all frames')]) }}
{%- endmacro -%}

{#- The score of every row, or its bin. A score outside the range is in the first or the last bin. -#}
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

{#- A unique text per part: each column follows its length, so no text can be read in two ways. -#}
{%- macro key_of_part(columns) -%}
{%- set text = 'cast({0} as ' ~ sqlmetrics.type_text() ~ ')' -%}
{%- set length_and_text = 'coalesce(cast(length(' ~ text ~ ') as ' ~ sqlmetrics.type_text() ~ ") || ':' || " ~ text ~ ", '-')" -%}
{{ sqlmetrics.text_digest(sqlmetrics.for_each(columns, length_and_text) | join('\n        || ') or "''") }}
{%- endmacro -%}
