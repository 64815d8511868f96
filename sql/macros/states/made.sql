{#- How states are made. A call comes as the planner takes it; dbt and the Python runner both come here. -#}

{#- The plan of a score_state: `call` as the planner takes it, whose metrics are those that each score has a part in. -#}
{%- macro planned_score_state(call, bins, eps, range, buckets) -%}
{%- if bins is not none and (bins is not number or bins is boolean or bins < 1 or bins != bins | int) -%}
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
{%- do sqlmetrics.refuse(macro, 'cluster has a meaning with buckets only; give buckets=20 or leave it out') -%}
{%- elif buckets is not none and (buckets is not number or buckets is boolean or buckets != buckets | int or buckets < 2 or buckets > 1000) -%}
{%- do sqlmetrics.refuse(macro, 'buckets must be a whole number between 2 and 1000, not ' ~ sqlmetrics.shown(buckets)) -%}
{%- elif buckets is not none and call.cluster is none -%}
{%- do sqlmetrics.refuse(macro, "buckets needs cluster: whose rows belong together, as in cluster='user_id'") -%}
{%- endif -%}
{#- How sure a reader of the state will want to be is not known yet, nor does it matter. -#}
{%- set q = sqlmetrics.plan(dict(call, confidence=none if buckets is none else 0.95)) -%}
{%- if q.groupings or q.models -%}
{%- do sqlmetrics.refuse(macro, 'by is one list of columns, and score one column') -%}
{%- endif -%}
{{ return(q) }}
{%- endmacro -%}

{#- The statement of a planned state. `previous` is the state as it was, as a reader of states takes it, or none. -#}
{%- macro state_statement(q, previous=none, previous_where=none) -%}
{%- set state = q.state -%}
{%- if state.kind == 'metrics' -%}
{{ sqlmetrics.written_state(state.macro, q, {}, sqlmetrics.columns_of_state(state.macro, q.metrics), [], state.buckets, sqlmetrics.settings_of_metrics(q), previous, previous_where) }}
{%- else -%}
{%- set columns = {'positives': 'sum(pos)', 'negatives': 'sum(neg)'} -%}
{%- if state.ends.probabilities -%}{%- do columns.update(sqlmetrics.columns_of_state(state.macro, q.metrics)) -%}{%- endif -%}
{%- set rows_from = 'observations' if state.buckets is none else 'rows_in_buckets' -%}
{%- set carried = sqlmetrics.slice_columns(q) + (['weight'] if 'weight' in q.derived else []) + ([] if state.buckets is none else ['bucket']) -%}
{%- set keyed = sqlmetrics.step('scores_with_keys', sqlmetrics.scores_with_keys(state.macro, rows_from, carried, state.bins, state.ends), 'every row with its score' ~ (' bin' if state.bins is not none), [rows_from]) -%}
{{ sqlmetrics.written_state(state.macro, q, {'score_key': 'score_key'}, columns, [keyed], state.buckets, sqlmetrics.settings_of_scores(state.bins, state.ends, state.eps, q.roles), previous, previous_where) }}
{%- endif -%}
{%- endmacro -%}

{#- The statement of a state: one row per slice, key and bucket, with the columns of the state. What `steps` are read from are the
    rows that count, or these with their bucket; metrics of groups are kept as sums over the groups of the slice.

    state_key   never NULL, and different in any two rows: what `merge` and microbatch tell rows by
    made_with   the settings: parts with other ones are not to be added up -#}
{%- macro written_state(macro, q, own_keys, columns, steps, buckets, made_with, previous, previous_where) -%}
{%- set names = sqlmetrics.slice_columns(q) -%}
{%- set keys = (own_keys.values() | list) + ([] if buckets is none else ['bucket']) -%}
{%- set shown = sqlmetrics.shown_slices(macro, q, ['state_key', 'made_with', 'row_count'] + keys + (columns | list) + ([] if buckets is none else ['buckets'])) -%}
{%- set kept = [] -%}
{%- for name, value in columns.items() -%}{%- do kept.append(sqlmetrics.to_double(value) ~ ' as ' ~ name) -%}{%- endfor -%}
{%- set all_steps = sqlmetrics.steps_of_rows(q, names, steps, buckets) if sqlmetrics.unit_of_state(q) == 'row' else sqlmetrics.steps_of_groups(macro, q, names, buckets) -%}
{%- set rows_from = all_steps[-1].name -%}
{%- set parts -%}
select
    {{ sqlmetrics.lines(names + keys + ['cast(' ~ ('count(*)' if sqlmetrics.unit_of_state(q) == 'row' else 'sum(row_count)') ~ ' as bigint) as row_count'] + kept) }}
from {{ rows_from }}
{{- sqlmetrics.group_by(names + keys) }}
{%- endset -%}
{%- set keyed -%}
select
    {{ sqlmetrics.lines([sqlmetrics.key_of_part(names + keys) ~ ' as state_key'] + names + keys + ['row_count'] + (columns | list)) }}
from parts
{%- endset -%}
{%- do all_steps.append(sqlmetrics.step('parts', parts, 'one per slice' ~ (', ' ~ keys | join(', ') if keys), [rows_from])) -%}
{%- do all_steps.append(sqlmetrics.step('parts_with_keys', keyed, 'each with a key that is never NULL', ['parts'], stored=previous is not none)) -%}
{%- set last = 'parts_with_keys' -%}
{%- if previous is not none -%}
{%- do all_steps.append(sqlmetrics.step('vanished_parts', sqlmetrics.vanished_parts(macro, q, names, keys, columns, previous, previous_where), 'parts of the state as it was that there are no longer', [last])) -%}
{%- set all_parts -%}
select
    {{ sqlmetrics.lines(['state_key'] + names + keys + ['row_count'] + (columns | list)) }}
from parts_with_keys
union all
select
    {{ sqlmetrics.lines(['state_key'] + names + keys + ['row_count'] + (columns | list)) }}
from vanished_parts
{%- endset -%}
{%- do all_steps.append(sqlmetrics.step('all_parts', all_parts, 'what the state gets', [last, 'vanished_parts'])) -%}
{%- set last = 'all_parts' -%}
{%- elif previous_where is not none -%}
{%- do sqlmetrics.refuse(macro, 'previous_where has a meaning with previous only; give previous=this or leave it out') -%}
{%- endif -%}
{%- set items = ['state_key'] -%}
{%- for name in names -%}{%- do items.append(name ~ ' as ' ~ shown[loop.index0]) -%}{%- endfor -%}
{%- do items.extend(keys) -%}
{%- if buckets is not none -%}{%- do items.append(buckets ~ ' as buckets') -%}{%- endif -%}
{%- do items.append('cast(' ~ sqlmetrics.text_literal(made_with) ~ ' as ' ~ sqlmetrics.type_text() ~ ') as made_with') -%}
{%- do items.append('row_count') -%}
{%- do items.extend(columns | list) -%}
{%- set ending -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ last }}
{%- endset -%}
-- state of {{ sqlmetrics.comment_text(q.title) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(all_steps, {'select': ending, 'reads': [last]})) }}
{%- endmacro -%}

{#- The names that the slices have in the state: none is that of a column of its own. -#}
{%- macro shown_slices(macro, q, taken) -%}
{%- set shown = [] -%}
{%- for entry in q.by -%}
{%- if entry.name | lower in taken -%}
{%- do sqlmetrics.refuse(macro, "by: '" ~ entry.name ~ "' is the name of a column of every state; name it as in by=['my_name = " ~ entry.name ~ "']") -%}
{%- endif -%}
{%- do shown.append(sqlmetrics.identifier(entry.name)) -%}
{%- endfor -%}
{{ return(shown) }}
{%- endmacro -%}

{%- macro steps_of_rows(q, names, steps, buckets) -%}
{%- set source = sqlmetrics.source_steps(q, {'names': names, 'numbered': false, 'read_from': 'source'}) -%}
{{ return(source + ([] if buckets is none else [sqlmetrics.rows_in_buckets(q, names, buckets)]) + steps) }}
{%- endmacro -%}

{#- The groups with their values and slices, and the bucket of each. -#}
{%- macro steps_of_groups(macro, q, names, buckets) -%}
{%- if buckets is not none and q.certainty.cluster != q.roles['group'] -%}
{%- do sqlmetrics.refuse(macro, 'cluster: metrics of groups are kept in buckets of these groups; give cluster what group is') -%}
{%- endif -%}
{%- set f = sqlmetrics.frames_of(q)[0] -%}
{%- set keys = ['slice_id'] if names else [] -%}
{%- set steps = sqlmetrics.source_steps(q, {'names': names, 'numbered': names | length > 0, 'read_from': 'source'})
    + sqlmetrics.frame_steps(f, 'sliced' if names else 'observations', keys) -%}
{%- set items = [] -%}
{%- for name in names -%}{%- do items.append('slices.' ~ name ~ ' as ' ~ name) -%}{%- endfor -%}
{%- if buckets is not none -%}
{%- set name = sqlmetrics.name_of_cluster('valued.group_id') -%}
{%- do items.append('cast(' ~ sqlmetrics.bucket_of(sqlmetrics.text_digest(name), buckets) ~ ' as integer) as bucket') -%}
{%- endif -%}
{%- set own_columns = {
    'group_scores': ['weight', 'positives', 'auc'],
    'slates': ['importance', 'total_reward', 'reward_by_item'] + (['reward_by_cascade'] if 'cascade' in f.uses else []),
} -%}
{%- set valued = ['row_count'] + (['group_weight'] if f.group_weight else []) + own_columns.get(f.name, []) -%}
{%- for m in f.metrics if f.group_values is not none -%}
{%- for column in m.group_columns -%}{%- do valued.append(sqlmetrics.identifier(column.as)) -%}{%- endfor -%}
{%- endfor -%}
{%- for name in valued -%}{%- do items.append('valued.' ~ name ~ ' as ' ~ name) -%}{%- endfor -%}
{%- set groups -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ f.cte }} as valued
{{- '\ninner join slices\n    on valued.slice_id = slices.slice_id' if names }}
{%- endset -%}
{{ return(steps + [sqlmetrics.step('groups_with_slices', groups, 'the groups and what they have of each metric', [f.cte] + (['slices'] if names else []))]) }}
{%- endmacro -%}

{#- What the sums of a state are taken over: rows, or groups. -#}
{%- macro unit_of_state(q) -%}
{{ return(sqlmetrics.known_frames()[q.metrics[0].frames[-1]].unit) }}
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
{%- do sqlmetrics.refuse(macro, 'range must be the lowest and the highest score, as in [-5, 5], not ' ~ sqlmetrics.shown(range)) -%}
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
{%- macro settings_of_scores(bins, ends, eps, roles) -%}
{{ 'score_state 2: bins=' ~ ('none' if bins is none else bins) ~ '; range=' ~ ends.lowest ~ ' to ' ~ ends.highest
    ~ '; scores=' ~ ('probabilities' if ends.probabilities else 'any') ~ '; eps=' ~ eps ~ '; ' ~ sqlmetrics.words_of_weights(roles) ~ ';' }}
{%- endmacro -%}

{%- macro settings_of_metrics(q) -%}
{%- set words = ['metric_state 2: of ' ~ q.metrics[0].requires | join(', '), sqlmetrics.words_of_weights(q.roles)] -%}
{%- for one in q.requested -%}{%- do words.append(sqlmetrics.words_of_metric(one)) -%}{%- endfor -%}
{{ words | join('; ') }};
{%- endmacro -%}

{%- macro words_of_weights(roles) -%}
{%- set words = [] -%}
{%- for role in ['weight', 'total', 'group_weight'] if role in roles -%}
{%- do words.append(role ~ '=' ~ (roles[role].column if 'column' in roles[role] else '(' ~ roles[role].sql.strip() ~ ')')) -%}
{%- endfor -%}
{{ words | join(', ') or 'weight=none' }}
{%- endmacro -%}

{%- macro words_of_metric(one) -%}
{%- set given = [] -%}
{%- for name, value in one.parameters.items() -%}{%- do given.append(name ~ '=' ~ ('none' if value is none else value | string)) -%}{%- endfor -%}
{{ one.name ~ ' = ' ~ one.metric.name ~ '(' ~ given | join(', ') ~ ')' }}
{%- endmacro -%}

{#- The rows that count with the bucket of their cluster, the same as where an interval is made of the log itself. -#}
{%- macro rows_in_buckets(q, names, buckets) -%}
{%- set columns = names | list -%}
{%- for column in sqlmetrics.derived_columns(q.derived) if column != 'cluster_id' -%}{%- do columns.append(column) -%}{%- endfor -%}
{#- The name that a cluster has in `named_rows_step`. -#}
{%- set name = sqlmetrics.name_of_cluster('cluster_id') -%}
{%- set in_buckets -%}
select
    {{ sqlmetrics.lines(columns + ['cast(' ~ sqlmetrics.bucket_of('digest', buckets) ~ ' as integer) as bucket']) }}
from (
    select
        {{ (columns + [sqlmetrics.text_digest(name) ~ ' as digest']) | join(',\n        ') }}
    from observations
) as digested
{%- endset -%}
{{ return(sqlmetrics.step('rows_in_buckets', in_buckets, 'each in one of ' ~ buckets ~ ' buckets of clusters', ['observations'])) }}
{%- endmacro -%}

{#- What the metrics keep of a part of the rows, name -> aggregate. -#}
{%- macro columns_of_state(macro, metrics) -%}
{%- set columns = {} -%}
{%- for m in metrics -%}
{%- if m.requires != metrics[0].requires -%}
{%- do sqlmetrics.refuse(macro, m.as ~ ' and ' ~ metrics[0].as ~ ' count different rows: give each a state of its own') -%}
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
{%- set noted = sqlmetrics.with_noted_state(m) -%}
{%- if not noted.state -%}
{%- do sqlmetrics.refuse(macro, m.name ~ ' is no quotient of sums over rows or groups; metric_state takes ' ~ sqlmetrics.additive_metrics() | join(', ') ~ '; score_state keeps what the metrics of a click need') -%}
{%- endif -%}
{{ return(noted) }}
{%- endmacro -%}

{#- Nothing is noted of a metric that takes anything else of its frame than these aggregates. -#}
{%- macro with_noted_state(m) -%}
{%- set unit = sqlmetrics.known_frames()[m.frames[-1]].unit -%}
{%- if unit is none or m.query or (unit == 'row' and not m.has_value) -%}
{{ return(dict(m, state=[])) }}
{%- endif -%}
{%- set noted = dict(m, state=[]) -%}
{%- set values = [] -%}
{%- for column in m['columns'] -%}{%- do values.append(sqlmetrics.metric_value(noted, column.name)) -%}{%- endfor -%}
{%- set rest = values | join(' ') | replace('sum(state_', '') | replace('max(state_', '') -%}
{%- for aggregate in ['sum(', 'count(', 'avg(', 'min(', 'max('] if aggregate in rest -%}
{{ return(dict(m, state=[])) }}
{%- endfor -%}
{{ return(noted) }}
{%- endmacro -%}

{#- The names of the metrics that metric_state takes. -#}
{%- macro additive_metrics() -%}
{%- set names = [] -%}
{%- for name in sqlmetrics.known_metrics() -%}
{%- set metric = sqlmetrics.metric_definition(name) -%}
{%- if not metric.table -%}
{%- set spec = {'name': name} -%}
{%- for parameter in metric.parameters.values() if parameter.required -%}
{%- do spec.update({parameter.name: {'a': 'b'} if parameter.type == 'columns' else 1}) -%}
{%- endfor -%}
{%- set one = sqlmetrics.requested_metric('metric_state', spec, none) -%}
{%- if sqlmetrics.with_noted_state(sqlmetrics.planned_metric_of_state(one, [], none)).state -%}{%- do names.append(name) -%}{%- endif -%}
{%- endif -%}
{%- endfor -%}
{{ return(names | sort) }}
{%- endmacro -%}
