{#- The last steps of a statement, and its final select. -#}
{%- macro ending(q, frames, slicing) -%}
{%- if q.comparison is not none and q.comparison.gaps -%}
{%- set steps = sqlmetrics.contrast_steps(q, frames, slicing, sqlmetrics.contrasts_of_slices(q, slicing)) -%}
{{ return({'steps': steps, 'select': sqlmetrics.gaps_select(q)}) }}
{%- elif q.comparison is not none and q.comparison.cluster_differences -%}
{{ return(sqlmetrics.ending_of_cluster_differences(q, frames, slicing)) }}
{%- elif q.comparison is not none -%}
{{ return(sqlmetrics.ending_of_comparison(q, frames, slicing)) }}
{%- elif q.table -%}
{{ return(sqlmetrics.ending_of_table(q, frames[0], slicing)) }}
{%- elif q.per_group -%}
{{ return(sqlmetrics.ending_per_group(q, frames, slicing)) }}
{%- elif frames | length == 1 and not slicing.numbered and q.interval_options is none and not sqlmetrics.metrics_with_steps(frames[0].metrics) -%}
{{ return(sqlmetrics.ending_of_one_frame(q, frames[0], slicing)) }}
{%- endif -%}
{{ return(sqlmetrics.ending_of_frames(q, frames, slicing)) }}
{%- endmacro -%}

{#- Metrics that are a query, not an aggregate. -#}
{%- macro metrics_with_steps(metrics) -%}{{ return(metrics | selectattr('query') | list) }}{%- endmacro -%}

{#- The step with the rows of a frame. A frame without a step of its own filters the rows of the log. -#}
{%- macro rows_of(f, slicing) -%}
{{ return({'step': f.cte, 'where': ''} if f.own_step else {'step': slicing.rows_from, 'where': f.where}) }}
{%- endmacro -%}

{#- The metrics of a frame, each below its formula, and its diagnostics. -#}
{%- macro frame_aggregates(f, digits=none) -%}
{%- set items = [] -%}
{%- for m in f.metrics if not m.query -%}
{%- for column in m['columns'] -%}
{%- set value = sqlmetrics.rounded(sqlmetrics.indented(sqlmetrics.metric_value(m, column.name)), digits) ~ ' as ' ~ sqlmetrics.identifier(column.as) -%}
{%- do items.append((sqlmetrics.indented(sqlmetrics.comment_lines(m.formula) ~ '\n') if loop.first else '') ~ value) -%}
{%- endfor -%}
{%- endfor -%}
{#- `positives` may be a sum of weights; other diagnostics are counts. -#}
{%- for diagnostic in f.diagnostics -%}
{%- do items.append(sqlmetrics.rounded(diagnostic.sql, digits if diagnostic.name == 'positives' else none) ~ ' as ' ~ sqlmetrics.identifier(diagnostic.name)) -%}
{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{%- macro count_of_rows(f) -%}
{{ return(f.counts if f.counts == 'count(*)' else 'cast(coalesce(' ~ f.counts ~ ', 0) as bigint)') }}
{%- endmacro -%}

{#- `n` counts rows, or adds up the totals of pre-aggregated rows. -#}
{%- macro rows_represented(f) -%}
{{ return(sqlmetrics.whole_number('coalesce(' ~ f.totals ~ ', 0)') if 'total' in f.requires else sqlmetrics.count_of_rows(f)) }}
{%- endmacro -%}

{#- `rows` of a table metric. -#}
{%- macro rows_of_table(m, total='pos + neg') -%}
{{ return((sqlmetrics.whole_number(total) if 'total' in m.requires else 'cast(row_count as bigint)') ~ ' as ' ~ sqlmetrics.identifier('rows')) }}
{%- endmacro -%}

{#- A sum of doubles as a count. Some engines truncate in a cast, and large sums would overflow. -#}
{%- macro whole_number(sum) -%}
{{ return('cast(least(round(' ~ sum ~ '), 9e18) as bigint)') }}
{%- endmacro -%}

{#- One frame with the slice columns in its rows, or without slices: a single aggregate. -#}
{%- macro ending_of_one_frame(q, f, slicing) -%}
{%- set rows = sqlmetrics.rows_of(f, slicing) -%}
{%- set count = sqlmetrics.count_of_rows(f) -%}
{%- set select_rows -%}
select
{%- for key in slicing['keys'] %}
    {{ key }} as {{ slicing.shown[loop.index0] }},
{%- endfor %}
{%- if q.diagnostics %}
    (select count(*) from source) as rows_read,
    (select count(*) from source) - {{ count }} as rows_dropped,
{%- if 'judgments' in q.relations %}
    (
        select count(distinct group_id)
        from source
        left join {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.judged_groups())) }} on source.group_id = judged_groups.judged_group
        where judged_group is null
    ) as groups_unjudged,
{%- endif %}
{%- endif %}
    {{ sqlmetrics.select_list([sqlmetrics.rows_represented(f) ~ ' as n'] + sqlmetrics.frame_aggregates(f, q.round)) }}
{%- if q.checks %},
{%- if 'total' in f.requires %}
    {{ count }} as sqlmetrics_used_rows_1,
{%- endif %}
    (select count(*) from source) as sqlmetrics_all_rows
{%- endif %}
from {{ rows.step }}
{{- rows.where }}
{{- sqlmetrics.group_by(slicing['keys']) }}
{#- A bare name is a result column, or in ClickHouse an input column. -#}
{{- sqlmetrics.by_keys('order by', sqlmetrics.for_each(slicing.shown if sqlmetrics.dialect_table().orders_by_result else slicing['keys'], '{0} asc nulls last')) }}
{%- endset -%}
{{ return({'steps': [], 'select': select_rows}) }}
{%- endmacro -%}

{%- macro judged_groups() -%}
(
    select distinct
        group_id as judged_group
    from sqlmetrics_all_judgments
) as judged_groups
{%- endmacro -%}

{#- Several frames, numbered slices or metrics that are queries: joins steps with one row per slice. -#}
{%- macro ending_of_frames(q, frames, slicing) -%}
{%- set steps = [] -%}
{%- set first = frames[0].cte ~ '_metrics' -%}
{%- set judged = 'judgments' in q.relations -%}
{%- for f in frames -%}
{#- The result needs `n` of the first frame, the checks need `n` of each. -#}
{%- set used = sqlmetrics.column_of_used_rows(f) -%}
{%- set counted = ([sqlmetrics.rows_represented(f) ~ ' as n'] if loop.first or (q.checks and used == 'n') else [])
    + ([sqlmetrics.count_of_rows(f) ~ ' as ' ~ used] if used != 'n' and (q.checks or q.diagnostics) else []) -%}
{%- do steps.extend(sqlmetrics.metric_steps(f, counted, slicing)) -%}
{%- endfor -%}
{%- set errors = sqlmetrics.errors_of(q, frames, slicing) -%}
{%- set joined = sqlmetrics.names_of(steps) + errors.joined -%}
{%- set reads = [sqlmetrics.step('reads', sqlmetrics.reads(slicing, judged), 'rows of each slice before rows are dropped')] if q.diagnostics else [] -%}
{%- set select_slices -%}
select
    {{- sqlmetrics.leading(sqlmetrics.slice_items(q)) }}
    coalesce({{ first }}.n, 0) as n
{%- if q.diagnostics %},
    coalesce(reads.rows_read, 0) as rows_read,
    coalesce(reads.rows_read, 0) - coalesce({{ first }}.{{ sqlmetrics.column_of_used_rows(frames[0]) }}, 0) as rows_dropped
{%- if judged %},
    reads.groups_unjudged
{%- endif %}
{%- endif %}
{%- for f in frames %}
{%- for diagnostic in f.diagnostics %}
{#- If a step of the intervals has this column too, ClickHouse adds the step to the result name. #}
{%- set name = sqlmetrics.identifier(diagnostic.name) %}
{%- set digits = q.round if diagnostic.name == 'positives' else none %},
    {{ sqlmetrics.rounded(f.cte ~ '_metrics.' ~ name, digits) ~ (' as ' ~ name if q.interval_options is not none or digits is not none) }}
{%- endfor %}
{%- endfor %}
{%- for m in sqlmetrics.metrics_in_order(q, frames) %}
{%- for column in m['columns'] %},
    {{ sqlmetrics.select_list(sqlmetrics.value_items(q, m, column, slicing, frames | length, errors.errors)) }}
{%- endfor %}
{%- endfor %}
{%- if q.checks %}
{%- for f in frames %},
    {{ f.cte }}_metrics.{{ sqlmetrics.column_of_used_rows(f) }} as sqlmetrics_used_rows_{{ loop.index }}
{%- endfor %},
    (select count(*) from source) as sqlmetrics_all_rows
{%- endif %}
from {{ 'slices' if slicing.numbered else first }}
{%- for name in joined if slicing.numbered or name != first %}
left join {{ name }}{{ sqlmetrics.on('slices', name, ['slice_id'] if slicing.numbered else []) }}
{%- endfor %}
{%- if q.diagnostics and slicing.numbered %}
left join reads{{ sqlmetrics.on_conditions(sqlmetrics.same_slices('slices', 'reads', slicing.names)) }}
{%- elif q.diagnostics %}
cross join reads
{%- endif %}
{%- if slicing.numbered %}
order by slices.slice_id asc
{%- endif %}
{%- endset -%}
{{ return({'steps': steps + errors.steps + reads, 'select': select_slices}) }}
{%- endmacro -%}

{#- A column of a metric, with its interval. A slice may have rows in another frame or model only, and the overall slice may be empty.
    ClickHouse adds the step to names that several steps have. -#}
{%- macro value_items(q, m, column, slicing, frames, errors) -%}
{%- set name = sqlmetrics.identifier(column.as) -%}
{%- set value = m.cte ~ '_metrics.' ~ name -%}
{%- set may_be_empty = slicing['keys'] and (frames > 1 or (q.comparison is none and (q.fixed_slices or q.models))) -%}
{%- set nothing = none if not may_be_empty else 0 if m.zero_without_rows else m.get('zero_division') -%}
{%- set shown = sqlmetrics.rounded(value if nothing is none else 'coalesce(' ~ value ~ ', ' ~ sqlmetrics.number(nothing) ~ ')', q.round) -%}
{%- set items = [shown ~ (' as ' ~ name if column.as in slicing.names or shown != value)] -%}
{{ return(items + (sqlmetrics.interval_items(m, value, errors[m.as], q.round) if m.interval and column.name == m.name else [])) }}
{%- endmacro -%}

{#- The column with the rows that a frame used: `n`, unless `n` adds up totals. -#}
{%- macro column_of_used_rows(f) -%}
{{ return('sqlmetrics_used_rows' if 'total' in f.requires else 'n') }}
{%- endmacro -%}

{#- In the order of the call, each with the step of its frame. -#}
{%- macro metrics_in_order(q, frames) -%}
{%- set of_frames = sqlmetrics.flat(frames | map(attribute='metrics')) -%}
{%- set metrics = [] -%}
{%- for m in q.metrics -%}{%- do metrics.extend(of_frames | selectattr('as', 'equalto', m.as)) -%}{%- endfor -%}
{{ return(metrics) }}
{%- endmacro -%}

{#- One step for all aggregates of the frame, and one per metric that is a query, which may read the rows several times. -#}
{%- macro metric_steps(f, counted, slicing) -%}
{%- set rows = sqlmetrics.rows_of(f, slicing) -%}
{%- set items = counted + sqlmetrics.frame_aggregates(f) -%}
{%- set aggregates -%}
select
    {{ sqlmetrics.select_list(slicing['keys'] + items) }}
from {{ rows.step }}
{{- rows.where }}
{{- sqlmetrics.group_by(slicing['keys']) }}
{%- endset -%}
{%- set steps = [sqlmetrics.step(f.cte ~ '_metrics', aggregates, 'one per slice', materialized=f.areas)] if items else [] -%}
{%- for m in sqlmetrics.metrics_with_steps(f.metrics) -%}
{%- set text = sqlmetrics.macro_of_metric(m.name ~ '__query')(m, rows.step ~ rows.where, slicing['keys']) -%}
{%- do steps.append(sqlmetrics.step(m.cte ~ '_metrics', text, m.formula)) -%}
{%- endfor -%}
{{ return(steps) }}
{%- endmacro -%}

{#- Rows of each slice before rows are dropped, and groups without judgments. -#}
{%- macro reads(slicing, judged) -%}
select
    {{- sqlmetrics.leading(slicing.names) }}
    count(*) as rows_read
{%- if judged %},
    count(distinct case when judged_groups.judged_group is null then group_id end) as groups_unjudged
{%- endif %}
from {{ slicing.read_from }}
{%- if judged %}
left join {{ sqlmetrics.judged_groups() }} on {{ slicing.read_from }}.group_id = judged_groups.judged_group
{%- endif -%}
{{- sqlmetrics.group_by(slicing.names) }}
{%- endmacro -%}

{#- Slices of a step under the user's names. -#}
{%- macro slice_items(q, step='slices') -%}
{{ return(
    ([sqlmetrics.name_of_grouping(q, step ~ '.grouping_id')] if q.groupings else [])
    + sqlmetrics.shown_as(sqlmetrics.keys_alone(step, sqlmetrics.names_of_slices(q.by)), sqlmetrics.shown_slices(q.by))
    + ([sqlmetrics.name_of_model(q, step ~ '.model_id')] if q.models else [])
) }}
{%- endmacro -%}

{#- Names of groupings and models by their numbers. -#}
{%- macro name_of_grouping(q, id) -%}
case {{ id }}{% for grouping in q.groupings %} when {{ grouping.id }} then {{ sqlmetrics.text_literal(grouping.name) }}{% endfor %} end as {{ sqlmetrics.identifier('grouping') }}
{%- endmacro -%}

{%- macro name_of_model(q, id) -%}{{ sqlmetrics.text_of_model(q, id) }} as model{%- endmacro -%}

{%- macro text_of_model(q, id, before='', after='') -%}
case {{ id }}{% for model in q.models %} when {{ loop.index }} then {{ sqlmetrics.text_literal(before ~ model.name ~ after) }}{% endfor %} end
{%- endmacro -%}

{#- Rows of a table metric, after the slice columns. `order by` needs the prefix: a bare name is a result column, and a slice may have
    the name of a table column. -#}
{%- macro ending_of_table(q, f, slicing) -%}
{%- set m = f.metrics[0] -%}
{%- set bands = sqlmetrics.bands_of_table(q, m, f, slicing) if m.banded else none -%}
{%- set order = ['slices.slice_id asc'] if slicing.numbered else [] -%}
{%- for column in m.order -%}
{%- set name, direction = column.split(' ') -%}
{%- do order.append(m.name ~ '.' ~ sqlmetrics.identifier(name) ~ ' ' ~ direction) -%}
{%- endfor -%}
{%- set select_rows -%}
select{{ sqlmetrics.broadcast('slices') if slicing.numbered }}
    {{- sqlmetrics.leading(sqlmetrics.slice_items(q)) }}
{%- for column in m['columns'] %}
{%- set name, name_in_table = sqlmetrics.identifier(column.as), sqlmetrics.identifier(column.name) %}
    {{ sqlmetrics.select_list([m.name ~ '.' ~ name_in_table ~ ('' if name == name_in_table else ' as ' ~ name)] + (sqlmetrics.band_items(q, m, bands, column) if bands else [])) }}
    {{- ',' if not loop.last }}
{%- endfor %}
from {{ m.name }}
{%- if slicing.numbered %}
inner join slices on {{ m.name }}.slice_id = slices.slice_id
{%- endif %}
{%- if bands %}
left join {{ bands.joined }}{{ sqlmetrics.on(m.name, bands.joined, slicing['keys'], [m.name ~ '.' ~ m.bands.row_key ~ ' = ' ~ bands.joined ~ '.row_key']) }}
{%- endif %}
{{- sqlmetrics.by_keys('order by', order) }}
{%- endset -%}
{%- set rows = sqlmetrics.macro_of_metric(m.name ~ '__table')(m, f, slicing['keys']) -%}
{%- set table = sqlmetrics.step(m.name, rows, m.formula, materialized=bands is not none and bands.keyed) -%}
{{ return({'steps': [table] + (bands.steps if bands else []), 'select': select_rows}) }}
{%- endmacro -%}

{#- One row per slice and group, the values behind the means. Frames may drop different groups. -#}
{%- macro ending_per_group(q, frames, slicing) -%}
{%- set counts_totals = 'total' in frames[0].requires -%}
{%- set count = 'coalesce(' ~ frames[0].cte ~ ('.weight' if counts_totals else '.row_count') ~ ', 0)' -%}
{%- set select_groups -%}
select{{ sqlmetrics.broadcast('slices') if slicing.numbered }}
    {{- sqlmetrics.leading(sqlmetrics.slice_items(q)) }}
    all_groups.group_id as {{ sqlmetrics.identifier(q.group_name) }},
    {{ sqlmetrics.whole_number(count) if counts_totals else 'cast(' ~ count ~ ' as bigint)' }} as n
{%- for m in sqlmetrics.metrics_in_order(q, frames) %},
    {{ sqlmetrics.select_list(sqlmetrics.values_of_groups(m, sqlmetrics.known_frames()[m.frame].group_values, frames | length > 1)) }}
{%- endfor %}
from all_groups
{%- if slicing.numbered %}
inner join slices on all_groups.slice_id = slices.slice_id
{%- endif %}
{%- for f in frames %}
left join {{ f.cte }}{{ sqlmetrics.on('all_groups', f.cte, slicing['keys'] + ['group_id']) }}
{%- endfor %}
{{- sqlmetrics.by_keys('order by', (['slices.slice_id asc'] if slicing.numbered else []) + ['all_groups.group_id asc']) }}
{%- endset -%}
{%- set all_groups -%}
{%- for f in frames -%}
select
    {{ sqlmetrics.select_list(slicing['keys'] + ['group_id']) }}
from {{ f.cte }}
{%- if not loop.last %}
{{ sqlmetrics.union_distinct() }}
{% endif -%}
{%- endfor -%}
{%- endset -%}
{{ return({'steps': [sqlmetrics.step('all_groups', all_groups, 'one per group')], 'select': select_groups}) }}
{%- endmacro -%}

{#- With other frames, a group that this frame drops has no value, unlike a group without relevant items. -#}
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
