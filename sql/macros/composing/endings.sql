{#- How a statement ends: its last steps, and the select that reads them. -#}
{%- macro ending(q, frames, slicing) -%}
{%- if q.comparison is not none and q.comparison.gaps -%}
{{ return(sqlmetrics.ending_of_gaps(q, frames, slicing)) }}
{%- elif q.comparison is not none and q.comparison.cluster_differences -%}
{{ return(sqlmetrics.ending_of_cluster_differences(q, frames, slicing)) }}
{%- elif q.comparison is not none -%}
{{ return(sqlmetrics.ending_of_comparison(q, frames, slicing)) }}
{%- elif q.table -%}
{{ return(sqlmetrics.ending_of_table(q, frames[0], slicing)) }}
{%- elif q.per_group -%}
{{ return(sqlmetrics.ending_per_group(q, frames, slicing)) }}
{%- elif frames | length == 1 and not slicing.numbered and q.certainty is none and not sqlmetrics.metrics_with_steps(frames[0]) -%}
{{ return(sqlmetrics.ending_of_one_frame(q, frames[0], slicing)) }}
{%- endif -%}
{{ return(sqlmetrics.ending_of_frames(q, frames, slicing)) }}
{%- endmacro -%}

{#- The metrics that are a whole query over their frame. -#}
{%- macro metrics_with_steps(f) -%}
{%- set found = [] -%}
{%- for m in f.metrics if m.query -%}{%- do found.append(m) -%}{%- endfor -%}
{{ return(found) }}
{%- endmacro -%}

{#- Where the rows of a frame stand, and the condition on them where they are the rows of the log themselves. -#}
{%- macro rows_of(f, slicing) -%}
{{ return({'step': f.cte, 'where': ''} if f.own_step else {'step': slicing.rows_from, 'where': f.where}) }}
{%- endmacro -%}

{#- The values of one frame's metrics, each under its formula, and what it tells beside them. -#}
{%- macro frame_aggregates(f, digits=none) -%}
{%- set items = [] -%}
{%- for m in f.metrics if not m.query -%}
{%- for column in m['columns'] -%}
{%- set value = sqlmetrics.rounded(sqlmetrics.indented(sqlmetrics.metric_value(m, column.name)), digits) ~ ' as ' ~ sqlmetrics.identifier(column.as) -%}
{%- do items.append((sqlmetrics.indented(sqlmetrics.comment_lines(m.formula) ~ '\n') if loop.first else '') ~ value) -%}
{%- endfor -%}
{%- endfor -%}
{#- Positives may be a sum of weights; the other diagnostics are counts. -#}
{%- for diagnostic in f.diagnostics -%}
{%- do items.append(sqlmetrics.rounded(diagnostic.sql, digits if diagnostic.name == 'positives' else none) ~ ' as ' ~ sqlmetrics.identifier(diagnostic.name)) -%}
{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{%- macro count_of_rows(f) -%}
{{ return(f.counts if f.counts == 'count(*)' else 'cast(coalesce(' ~ f.counts ~ ', 0) as bigint)') }}
{%- endmacro -%}

{#- What n counts: the rows, or, of pre-aggregated rows, what they stand for. -#}
{%- macro rows_represented(f) -%}
{{ return(sqlmetrics.whole_number('coalesce(' ~ f.totals ~ ', 0)') if 'total' in f.requires else sqlmetrics.count_of_rows(f)) }}
{%- endmacro -%}

{#- The same of a row of a table. -#}
{%- macro rows_of_table(m, total='pos + neg') -%}
{{ return((sqlmetrics.whole_number(total) if 'total' in m.requires else 'cast(row_count as bigint)') ~ ' as ' ~ sqlmetrics.identifier('rows')) }}
{%- endmacro -%}

{#- A sum of doubles as a count: some engines cut digits off, and a scale may be beyond 64 bits. -#}
{%- macro whole_number(sum) -%}
{{ return('cast(least(round(' ~ sum ~ '), 9e18) as bigint)') }}
{%- endmacro -%}

{#- One frame whose rows carry the slice columns themselves, or no slices at all: a single aggregate. -#}
{%- macro ending_of_one_frame(q, f, slicing) -%}
{%- set rows = sqlmetrics.rows_of(f, slicing) -%}
{%- set count = sqlmetrics.count_of_rows(f) -%}
{%- set items = [] -%}
{%- for key in slicing['keys'] -%}{%- do items.append(key ~ ' as ' ~ slicing.shown[loop.index0]) -%}{%- endfor -%}
{%- if q.diagnostics -%}
{%- do items.append('(select count(*) from source) as rows_read') -%}
{%- do items.append('(select count(*) from source) - ' ~ count ~ ' as rows_dropped') -%}
{%- if 'judgments' in q.relations -%}
{%- do items.append('(\n        ' ~ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.groups_unjudged())) ~ '\n    ) as groups_unjudged') -%}
{%- endif -%}
{%- endif -%}
{%- do items.append(sqlmetrics.rows_represented(f) ~ ' as n') -%}
{%- do items.extend(sqlmetrics.frame_aggregates(f, q.round)) -%}
{%- if q.checks -%}
{%- if 'total' in f.requires -%}{%- do items.append(count ~ ' as sqlmetrics_used_rows_1') -%}{%- endif -%}
{%- do items.append('(select count(*) from source) as sqlmetrics_all_rows') -%}
{%- endif -%}
{%- set select_rows -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ rows.step }}
{{- rows.where }}
{{- sqlmetrics.group_by(slicing['keys']) }}
{{- sqlmetrics.order_by(sqlmetrics.names_in_order(slicing.shown, slicing['keys'])) }}
{%- endset -%}
{{ return({'steps': [], 'select': select_rows}) }}
{%- endmacro -%}

{%- macro groups_unjudged() -%}
select count(distinct group_id)
from source
left join (
    select distinct
        group_id as judged_group
    from sqlmetrics_all_judgments
) as judged_groups
    on source.group_id = judged_groups.judged_group
where judged_group is null
{%- endmacro -%}

{#- What a name alone in `order by` is: a column of the result, or to ClickHouse here one of the rows below. -#}
{%- macro names_in_order(shown, keys) -%}
{{ return(adapter.dispatch('sqlmetrics_names_in_order', 'sqlmetrics')(shown, keys)) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_names_in_order(shown, keys) -%}
{{ return(shown) }}
{%- endmacro -%}

{#- What a metric is of no rows at all, where that is a number. -#}
{%- macro value_without_rows(m) -%}
{%- if m.zero_without_rows -%}
{{ return('0') }}
{%- elif m.zero_division is defined and m.zero_division is not none -%}
{{ return(sqlmetrics.number(m.zero_division)) }}
{%- endif -%}
{{ return(none) }}
{%- endmacro -%}

{%- macro order_by(keys) -%}
{%- if keys %}
order by
    {{ keys | join(' asc nulls last,\n    ') }} asc nulls last
{%- endif -%}
{%- endmacro -%}

{#- Several frames, numbered slices or metrics with steps of their own: each has its step with one row per slice, and they meet. -#}
{%- macro ending_of_frames(q, frames, slicing) -%}
{%- set steps = [] -%}
{%- set items = sqlmetrics.slice_items(q, slicing) -%}
{%- set first = frames[0].cte ~ '_metrics' -%}
{%- do items.append('coalesce(' ~ first ~ '.n, 0) as n') -%}
{%- if q.diagnostics -%}
{%- do items.append('coalesce(reads.rows_read, 0) as rows_read') -%}
{%- do items.append('coalesce(reads.rows_read, 0) - coalesce(' ~ first ~ '.' ~ sqlmetrics.column_of_used_rows(frames[0]) ~ ', 0) as rows_dropped') -%}
{%- if 'judgments' in q.relations -%}{%- do items.append('reads.groups_unjudged') -%}{%- endif -%}
{%- endif -%}
{%- for f in frames -%}
{%- for diagnostic in f.diagnostics -%}
{#- A step of the intervals may have a column of the name, which ClickHouse would tell apart by the names of the steps. -#}
{%- set told = sqlmetrics.told_columns(f.cte ~ '_metrics', [sqlmetrics.identifier(diagnostic.name)], q.round if diagnostic.name == 'positives' else none)[0] -%}
{%- do items.append(told if q.certainty is none or ' as ' in told else told ~ ' as ' ~ sqlmetrics.identifier(diagnostic.name)) -%}
{%- endfor -%}
{%- endfor -%}
{%- set errors = sqlmetrics.errors_of(q, frames, slicing) -%}
{%- for m in sqlmetrics.metrics_in_order(q, frames) -%}
{%- for column in m['columns'] -%}
{%- set value = m.cte ~ '_metrics.' ~ sqlmetrics.identifier(column.as) -%}
{#- A slice may have rows for another frame or model alone, and that of all rows may have none. What another of the steps has
    too, ClickHouse gives back with the name of its step. -#}
{%- set may_be_empty = frames | length > 1 or (q.comparison is none and (q.fixed_slices or q.models)) -%}
{%- set nothing = sqlmetrics.value_without_rows(m) if may_be_empty and slicing['keys'] else none -%}
{%- set shown = sqlmetrics.rounded(value if nothing is none else 'coalesce(' ~ value ~ ', ' ~ nothing ~ ')', q.round) -%}
{%- do items.append(shown ~ (' as ' ~ sqlmetrics.identifier(column.as) if column.as in slicing.names or q.round is not none or nothing is not none else '')) -%}
{%- if m.interval and column.name == m.name -%}{%- do items.extend(sqlmetrics.interval_items(m, value, errors.errors[m.as], q.round)) -%}{%- endif -%}
{%- endfor -%}
{%- endfor -%}
{%- for f in frames -%}
{#- n is counted where it is read: for the result in the first frame, for the checks in each. -#}
{%- set used = sqlmetrics.column_of_used_rows(f) -%}
{%- set counted = [sqlmetrics.rows_represented(f) ~ ' as n'] if loop.first or (q.checks and used == 'n') else [] -%}
{%- if used != 'n' and (q.checks or q.diagnostics) -%}{%- do counted.append(sqlmetrics.count_of_rows(f) ~ ' as ' ~ used) -%}{%- endif -%}
{%- do steps.extend(sqlmetrics.metric_steps(f, counted, slicing)) -%}
{%- if q.checks -%}{%- do items.append(f.cte ~ '_metrics.' ~ used ~ ' as sqlmetrics_used_rows_' ~ loop.index) -%}{%- endif -%}
{%- endfor -%}
{%- set joined = [] -%}
{%- for name in sqlmetrics.step_names(steps) + errors.joined -%}
{%- if slicing.numbered -%}
{%- do joined.append('left join ' ~ name ~ '\n    on slices.slice_id = ' ~ name ~ '.slice_id') -%}
{%- elif name != first -%}
{%- do joined.append('left join ' ~ name ~ '\n    on 1 = 1') -%}
{%- endif -%}
{%- endfor -%}
{%- do steps.extend(errors.steps) -%}
{%- if q.diagnostics -%}
{%- set judged = 'judgments' in q.relations -%}
{%- do steps.append(sqlmetrics.step('reads', sqlmetrics.reads(slicing, judged), 'what each slice held before any row was left out')) -%}
{%- set same = [] -%}
{%- for name in slicing.names -%}{%- do same.append(sqlmetrics.same_value('slices.' ~ name, 'reads.' ~ name)) -%}{%- endfor -%}
{%- do joined.append('left join reads\n    on ' ~ same | join('\n    and ') if slicing.numbered else 'cross join reads') -%}
{%- endif -%}
{%- if q.checks -%}
{%- do items.append('(select count(*) from source) as sqlmetrics_all_rows') -%}
{%- endif -%}
{%- set select_slices -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ 'slices' if slicing.numbered else first }}
{{- '\n' ~ joined | join('\n') if joined }}
{{- '\norder by\n    slices.slice_id asc' if slicing.numbered }}
{%- endset -%}
{{ return({'steps': steps, 'select': select_slices}) }}
{%- endmacro -%}

{#- Which column of its metrics counts the rows that a frame used: n, unless that counts what they stand for. -#}
{%- macro column_of_used_rows(f) -%}
{{ return('sqlmetrics_used_rows' if 'total' in f.requires else 'n') }}
{%- endmacro -%}

{%- macro step_names(steps) -%}
{%- set names = [] -%}
{%- for step in steps -%}{%- do names.append(step.name) -%}{%- endfor -%}
{{ return(names) }}
{%- endmacro -%}

{#- The standard errors of all metrics, where they are asked for: their steps, those that are joined, and where each stands. -#}
{%- macro errors_of(q, frames, slicing) -%}
{%- if q.certainty is not none and q.certainty.replicates is not none -%}
{{ return(sqlmetrics.errors_by_bootstrap(q, frames, slicing)) }}
{%- endif -%}
{%- set found = {'steps': [], 'joined': [], 'errors': {}} -%}
{%- set unweighted = [] -%}
{%- for f in frames if not f.weighted -%}{%- do unweighted.append(f.name) -%}{%- endfor -%}
{%- for f in frames if q.certainty is not none -%}
{%- set own = sqlmetrics.interval_steps(q, f, slicing) -%}
{%- set clusters = 'clusters_in_buckets' ~ sqlmetrics.of_rows_used(q, f) -%}
{%- if clusters in own.joined -%}
{%- do found.steps.extend(sqlmetrics.bucket_steps(q, f, slicing, not unweighted)) -%}
{%- endif -%}
{%- do found.steps.extend(own.steps) -%}
{%- for name in own.joined if name not in found.joined -%}{%- do found.joined.append(name) -%}{%- endfor -%}
{%- do found.errors.update(own.errors) -%}
{%- endfor -%}
{%- if q.certainty is not none and q.certainty.anytime is not none -%}
{%- for name, error in found.errors.items() -%}
{%- do error.update({'reach': error.reach ~ ' / ' ~ sqlmetrics.number(q.certainty.normal) ~ ' * ' ~ sqlmetrics.boundary(q.certainty, error.clusters)}) -%}
{%- endfor -%}
{%- endif -%}
{#- Frames share their buckets, or, where they leave out other rows, the names of their rows. -#}
{{ return(dict(found, steps=sqlmetrics.shared_steps(found.steps))) }}
{%- endmacro -%}

{#- As they were asked for; each with the step that its frame gave it. -#}
{%- macro metrics_in_order(q, frames) -%}
{%- set found = {} -%}
{%- for f in frames -%}{%- for m in f.metrics -%}{%- do found.update({m.as: m}) -%}{%- endfor -%}{%- endfor -%}
{%- set metrics = [] -%}
{%- for m in q.metrics -%}{%- do metrics.append(found[m.as]) -%}{%- endfor -%}
{{ return(metrics) }}
{%- endmacro -%}

{#- One row per slice: what the frame's metrics aggregate in one step, and each whole query in its own. A query may read its
    rows as often as it likes. -#}
{%- macro metric_steps(f, counted, slicing) -%}
{%- set rows = sqlmetrics.rows_of(f, slicing) -%}
{%- set items = counted + sqlmetrics.frame_aggregates(f) -%}
{%- set steps = [] -%}
{%- if items -%}
{%- set aggregates -%}
select
    {{ sqlmetrics.lines(slicing['keys'] + items) }}
from {{ rows.step }}
{{- rows.where }}
{{- sqlmetrics.group_by(slicing['keys']) }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step(f.cte ~ '_metrics', aggregates, 'one per slice')) -%}
{%- endif -%}
{%- for m in f.metrics if m.query -%}
{%- set text = sqlmetrics.metric_query(m, rows.step ~ rows.where, slicing['keys']) -%}
{%- do steps.append(sqlmetrics.step(m.cte ~ '_metrics', text, m.formula)) -%}
{%- endfor -%}
{{ return(steps) }}
{%- endmacro -%}

{#- How many rows each slice held before any was dropped, and how many of its groups nobody judged. -#}
{%- macro reads(slicing, judged) -%}
{%- set unjudged = ['count(distinct case when judged_groups.judged_group is null then group_id end) as groups_unjudged'] -%}
select
    {{ sqlmetrics.lines(slicing.names + ['count(*) as rows_read'] + (unjudged if judged else [])) }}
from {{ slicing.read_from }}
{%- if judged %}
left join (
    select distinct
        group_id as judged_group
    from sqlmetrics_all_judgments
) as judged_groups
    on {{ slicing.read_from }}.group_id = judged_groups.judged_group
{%- endif -%}
{{- sqlmetrics.group_by(slicing.names) }}
{%- endmacro -%}

{#- The slices as the user named them. -#}
{%- macro slice_items(q, slicing) -%}
{%- if not slicing.numbered -%}
{{ return([]) }}
{%- endif -%}
{%- set items = [] -%}
{%- if q.groupings -%}
{%- do items.append(sqlmetrics.name_of_grouping(q, 'slices.grouping_id')) -%}
{%- endif -%}
{%- for name in slicing.shown -%}{%- do items.append('slices.slice_' ~ loop.index ~ ' as ' ~ name) -%}{%- endfor -%}
{%- if q.models -%}
{%- do items.append(sqlmetrics.name_of_model(q, 'slices.model_id')) -%}
{%- endif -%}
{{ return(items) }}
{%- endmacro -%}

{#- The columns of the metrics, in order: the place of one is its number in a statement. -#}
{%- macro names_in_result(metrics) -%}
{%- set names = [] -%}
{%- for m in metrics -%}{%- do names.append(m.as) -%}{%- endfor -%}
{{ return(names) }}
{%- endmacro -%}

{#- What stands in the result for the numbers of groupings and of models. -#}
{%- macro name_of_grouping(q, id) -%}
{%- set cases = [] -%}
{%- for grouping in q.groupings -%}{%- do cases.append('when ' ~ grouping.id ~ ' then ' ~ sqlmetrics.text_literal(grouping.name)) -%}{%- endfor -%}
{{ return('case ' ~ id ~ ' ' ~ cases | join(' ') ~ ' end as ' ~ sqlmetrics.identifier('grouping')) }}
{%- endmacro -%}

{%- macro name_of_model(q, id) -%}
{%- set cases = [] -%}
{%- for model in q.models -%}{%- do cases.append('when ' ~ loop.index ~ ' then ' ~ sqlmetrics.text_literal(model.name)) -%}{%- endfor -%}
{{ return('case ' ~ id ~ ' ' ~ cases | join(' ') ~ ' end as model') }}
{%- endmacro -%}

{#- A table metric: its rows, with the slice columns in front. A name alone in `order by` is a result column, and a slice may be
    called like a column of the table: hence the prefix. -#}
{%- macro ending_of_table(q, f, slicing) -%}
{%- set m = f.metrics[0] -%}
{%- set order = ['slices.slice_id asc'] if slicing.numbered else [] -%}
{%- for column in m.order -%}{%- set words = column.split(' ') -%}{%- do order.append(m.name ~ '.' ~ sqlmetrics.identifier(words[0]) ~ ' ' ~ words[1]) -%}{%- endfor -%}
{%- set bands = sqlmetrics.bands_of_table(q, m, f, slicing) if m.banded else none -%}
{%- set items = sqlmetrics.slice_items(q, slicing) -%}
{%- for column in m['columns'] -%}
{%- set name = sqlmetrics.identifier(column.as) -%}
{%- set column_in_table = sqlmetrics.identifier(column.name) -%}
{%- do items.append(m.name ~ '.' ~ column_in_table ~ ('' if name == column_in_table else ' as ' ~ name)) -%}
{%- if bands is not none -%}{%- do items.extend(sqlmetrics.band_items(q, m, bands, column)) -%}{%- endif -%}
{%- endfor -%}
{%- set select_rows -%}
select{{ sqlmetrics.broadcast('slices') if slicing.numbered }}
    {{ sqlmetrics.lines(items) }}
from {{ m.name }}
{%- if slicing.numbered %}
inner join slices
    on {{ m.name }}.slice_id = slices.slice_id
{%- endif %}
{%- if bands is not none %}
left join {{ bands.joined }}
    on {{ (sqlmetrics.same_keys(m.name, bands.joined, slicing['keys']) + [m.name ~ '.' ~ m.bands.mark ~ ' = ' ~ bands.joined ~ '.mark']) | join('\n    and ') }}
{%- endif %}
order by
    {{ order | join(',\n    ') }}
{%- endset -%}
{%- set table = sqlmetrics.step(m.name, sqlmetrics.metric_table(m, f, slicing['keys']), m.formula, stored=bands is not none and bands.marked) -%}
{{ return({
    'steps': [table] + (bands.steps if bands is not none else []),
    'select': select_rows,
}) }}
{%- endmacro -%}

{#- One row per slice and group: the table from which the means are taken. Each frame may have left out other groups. -#}
{%- macro ending_per_group(q, frames, slicing) -%}
{%- set joined = [] -%}
{%- for f in frames -%}
{%- set same_slice = 'all_groups.slice_id = ' ~ f.cte ~ '.slice_id\n    and ' if slicing.numbered else '' -%}
{%- do joined.append('left join ' ~ f.cte ~ '\n    on ' ~ same_slice ~ 'all_groups.group_id = ' ~ f.cte ~ '.group_id') -%}
{%- endfor -%}
{%- set items = sqlmetrics.slice_items(q, slicing) -%}
{%- do items.append('all_groups.group_id as ' ~ sqlmetrics.identifier(q.group_name)) -%}
{%- set count = 'coalesce(' ~ frames[0].cte ~ ('.weight' if 'total' in frames[0].requires else '.row_count') ~ ', 0)' -%}
{%- do items.append((sqlmetrics.whole_number(count) if 'total' in frames[0].requires else 'cast(' ~ count ~ ' as bigint)') ~ ' as n') -%}
{%- for m in sqlmetrics.metrics_in_order(q, frames) -%}
{%- do items.extend(sqlmetrics.values_of_groups(m, sqlmetrics.known_frames()[m.frame].group_values, frames | length > 1)) -%}
{%- endfor -%}
{%- set select_groups -%}
select{{ sqlmetrics.broadcast('slices') if slicing.numbered }}
    {{ sqlmetrics.lines(items) }}
from all_groups
{%- if slicing.numbered %}
inner join slices
    on all_groups.slice_id = slices.slice_id
{%- endif %}
{{ joined | join('\n') }}
order by
    {{ 'slices.slice_id asc,\n    ' if slicing.numbered }}all_groups.group_id asc
{%- endset -%}
{%- set all_groups = sqlmetrics.step('all_groups', sqlmetrics.all_groups(frames, slicing['keys'] + ['group_id']), 'one per group') -%}
{{ return({'steps': [all_groups], 'select': select_groups}) }}
{%- endmacro -%}

{%- macro all_groups(frames, keys) -%}
{%- for f in frames -%}
select
    {{ sqlmetrics.lines(keys) }}
from {{ f.cte }}
{%- if not loop.last %}
{{ sqlmetrics.union_distinct() }}
{% endif -%}
{%- endfor -%}
{%- endmacro -%}

{#- Beside other frames, a group that the frame leaves out has no value, which is not one without any relevant item. -#}
{%- macro values_of_groups(m, group_values, beside_others=false) -%}
{%- if group_values != 'columns' -%}
{{ return([m.cte ~ '.' ~ sqlmetrics.metric_per_group(m, m.name) ~ ' as ' ~ sqlmetrics.identifier(m.as)]) }}
{%- endif -%}
{%- set items = [] -%}
{%- for column in m.group_columns -%}
{%- set value = m.cte ~ '.' ~ sqlmetrics.identifier(column.as) -%}
{%- if m.empty is defined and m.empty != 'skip' -%}
{%- set value = 'coalesce(' ~ value ~ ', ' ~ {'zero': 0, 'one': 1}[m.empty] ~ ')' -%}
{%- if beside_others -%}{%- set value = 'case when ' ~ m.cte ~ '.group_id is not null then ' ~ value ~ ' end' -%}{%- endif -%}
{%- endif -%}
{%- do items.append(value ~ ' as ' ~ sqlmetrics.identifier(column.shown)) -%}
{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}
