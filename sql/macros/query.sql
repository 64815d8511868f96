{#- The whole statement: source, observations, slices, one chain of steps per frame, and the row per slice.

    q.title        what is computed, for the header line
    q.relation     the table, sub-query or file scan, as SQL;  q.input: a query to be named once and stored
    q.stored       the rows are read once and kept: reading them again costs more than keeping them
    q.by           slice columns [{name, column or sql}];  q.groupings [{id, name, columns}];  q.models [{name, column or sql}]
    q.columns      canonical column -> the user's column or expression, for everything that some metric reads
    q.derived      the canonical columns that some frame reads
    q.required     the columns that every metric needs: a row without one of them is not used
    q.metrics      each with its name, result columns, frames, parameters and `requires`
    q.shape        rows, distinct or two_level, or none for that of the dialect;  q.countable: rows are counted, not weighed
    q.whole_columns  the canonical columns of which the types say that they hold whole numbers, so no NaN
    q.problems     the rules that values must keep [{column, keeps, …}];  q.checks: leave out the rows that break one,
                   and count all rows, so that the runner sees that some are missing
-#}
{%- macro query(q) -%}
{%- set keys_by_name = [] -%}
{%- if q.groupings -%}{%- set _ = keys_by_name.append('grouping_id') -%}{%- endif -%}
{%- for entry in q.by -%}{%- set _ = keys_by_name.append('slice_' ~ loop.index) -%}{%- endfor -%}
{%- if q.models -%}{%- set _ = keys_by_name.append('model_id') -%}{%- endif -%}

{#- The slices of no column, to which everything belongs. -#}
{%- set whole = namespace(condition='1 = 1' if not q.by else '') -%}
{%- for grouping in q.groupings if not grouping.columns -%}
{%- set whole.condition = 'slices.grouping_id = ' ~ grouping.id -%}
{%- endfor -%}

{#- One frame per set of parameters and of needed columns, shared by all metrics that agree on them. -#}
{%- set frames = [] -%}
{%- set shape = q.shape if q.shape is not none else sqlmetrics.default_shape() -%}
{%- set rank_rows = namespace(value=q.countable and shape == 'rows') -%}
{%- set queries = namespace(value=false) -%}
{%- for m in q.metrics -%}
{%- if m.frames == ['thresholds'] -%}{%- set rank_rows.value = false -%}{%- endif -%}
{%- endfor -%}
{%- for m in q.metrics -%}
{%- set frame_name = m.frames[-1] if not rank_rows.value or (m.bins is defined and m.bins is not none) else m.frames[0] -%}
{%- set params = {} -%}
{%- for name in m.frame_parameters -%}{%- set _ = params.update({name: m[name]}) -%}{%- endfor -%}
{%- set _ = m.update({'frame': frame_name, 'two_level': shape == 'two_level'}) -%}
{%- set found = namespace(frame=none, twins=0) -%}
{%- for f in frames -%}
{%- if f.name == frame_name -%}
{%- set found.twins = found.twins + 1 -%}
{%- if f.params == params and f.requires == m.requires -%}{%- set found.frame = f -%}{%- endif -%}
{%- endif -%}
{%- endfor -%}
{%- if found.frame is none -%}
{%- set suffix = '_' ~ (found.twins + 1) if found.twins else '' -%}
{%- set found.frame = {
    'name': frame_name,
    'suffix': suffix,
    'cte': ('group_values' if frame_name == 'ranked_items' else frame_name) ~ suffix,
    'params': params,
    'requires': m.requires,
    'needs': m.requires | length,
    'metrics': [],
    'uses': [],
    'weighted': 'weight' in m.requires or 'total' in m.requires,
    'two_level': m.two_level,
    'group_weight': 'group_weight' in m.requires,
    'judged': m.judged,
    'tie_key': 'tie_key' in q.columns,
    'whole': whole.condition,
    'diagnostics': [],
    'ranked': q.countable and shape == 'rows',
} -%}
{%- set _ = frames.append(found.frame) -%}
{%- endif -%}
{%- set _ = found.frame.metrics.append(m) -%}
{%- for name in m.uses if name not in found.frame.uses -%}{%- set _ = found.frame.uses.append(name) -%}{%- endfor -%}
{#- A metric may be a whole query over its frame: then it is a step of its own. -#}
{%- set same = [] -%}
{%- for other in found.frame.metrics if other.query and other.name == m.name -%}{%- set _ = same.append(other.as) -%}{%- endfor -%}
{%- set _ = m.update({'cte': m.name ~ ('_' ~ same | length if same | length > 1 else '') ~ found.frame.suffix if m.query else found.frame.cte}) -%}
{%- if m.query -%}{%- set queries.value = true -%}{%- endif -%}
{%- endfor -%}

{#- n counts the rows of the least demanding frame: gauc leaves out rows without a group, auc beside it does not. -#}
{%- set frames = frames | sort(attribute='needs') -%}

{#- Slices are numbered where windows are sorted by them or several frames must meet; else the columns themselves group. -#}
{%- set grouped_directly = q.by and not q.groupings and not q.models and not q.diagnostics
    and not q.table and not queries.value and frames | length == 1 and sqlmetrics.groups_by_columns(frames[0]) -%}
{%- set numbered = keys_by_name and not grouped_directly -%}
{%- set keys = ['slice_id'] if numbered else keys_by_name -%}
{%- set rows_from = 'sliced' if numbered else 'observations' -%}

{%- set steps = [] -%}
{%- if q.input -%}{%- set _ = steps.append(sqlmetrics.cte(q.relation, sqlmetrics.keep_line_breaks(q.input), stored=true)) -%}{%- endif -%}
{%- for name, relation in q.relations.items() -%}
{%- if relation.input -%}{%- set _ = steps.append(sqlmetrics.cte(relation.relation, sqlmetrics.keep_line_breaks(relation.input), stored=true)) -%}{%- endif -%}
{%- set _ = steps.append(sqlmetrics.relation_step(name, relation)) -%}
{%- endfor -%}
{%- set _ = steps.append(sqlmetrics.cte('source', sqlmetrics.source(q), stored=q.stored, read_again=q.checks)) -%}
{%- if q.groupings or q.models -%}{%- set _ = steps.append(sqlmetrics.cte('compared', sqlmetrics.compared(q))) -%}{%- endif -%}
{%- set read_from = 'compared' if q.groupings or q.models else 'source' -%}
{%- set columns = [] -%}
{%- for column in q.columns -%}{%- set _ = columns.append('score' if column == 'negated_rank' else column) -%}{%- endfor -%}
{%- if q.models -%}{%- set _ = columns.append('score') -%}{%- endif -%}
{%- set _ = steps.append(sqlmetrics.cte('observations', sqlmetrics.observations(q, keys_by_name, columns, q.required, read_from))) -%}
{%- if numbered -%}
{%- set carried = (['pos', 'neg'] if 'pos' in q.derived else []) -%}
{%- for column in q.derived if column != 'pos' -%}{%- set _ = carried.append(column) -%}{%- endfor -%}
{%- set _ = steps.append(sqlmetrics.cte('slices', sqlmetrics.slices(q, keys_by_name), stored=true)) -%}
{%- set _ = steps.append(sqlmetrics.cte('sliced', sqlmetrics.sliced(keys_by_name, carried))) -%}
{%- endif -%}
{%- for f in frames -%}
{%- set extra = [] -%}
{%- for column in f.requires if column not in q.required -%}{%- set _ = extra.append('score' if column == 'negated_rank' else column) -%}{%- endfor -%}
{%- set _ = f.update({'where': '\nwhere ' ~ sqlmetrics.is_given(extra, q.whole_columns) if extra else '', 'given': sqlmetrics.is_given(q.required + extra, q.whole_columns)}) -%}
{%- set chain = sqlmetrics.frame_steps(f, rows_from, keys) | trim -%}
{%- if chain -%}{%- set _ = steps.append(chain) -%}{%- endif -%}
{%- set _ = f.update({'from': f.cte if chain else rows_from}) -%}
{%- endfor -%}

{#- Each diagnostic comes from the first frame that can tell it. -#}
{%- set told = [] -%}
{%- if q.diagnostics -%}
{%- for f in frames -%}
{%- set offers = [] -%}
{%- if f.name in ['rows', 'thresholds', 'score_bins'] and 'pos' in q.derived -%}
{%- set _ = offers.append({'name': 'positives', 'sql': 'sum(pos)'}) -%}
{%- elif f.name == 'group_scores' -%}
{%- set _ = offers.append({'name': 'positives', 'sql': 'sum(positives)'}) -%}
{%- endif -%}
{%- if f.name == 'thresholds' -%}
{%- set _ = offers.append({'name': 'tied_rows', 'sql': 'cast(sum(case when row_count > 1 then row_count else 0 end) as bigint)'}) -%}
{%- endif -%}
{%- if f.name == 'group_scores' -%}
{%- set _ = offers.append({'name': 'groups', 'sql': 'count(*)'}) -%}
{%- set _ = offers.append({'name': 'groups_skipped', 'sql': 'count(*) - count(auc)'}) -%}
{%- elif f.name == 'ranked_items' -%}
{%- set _ = offers.append({'name': 'groups', 'sql': 'count(*)'}) -%}
{%- set _ = offers.append({'name': 'groups_skipped', 'sql': 'count(*) - count(' ~ sqlmetrics.identifier(f.metrics[0].group_columns[0].as) ~ ')'}) -%}
{%- endif -%}
{%- for offer in offers if offer.name not in told -%}
{%- set _ = f.diagnostics.append(offer) -%}
{%- set _ = told.append(offer.name) -%}
{%- endfor -%}
{%- endfor -%}
{%- endif -%}

{%- set key_names = [] -%}
{%- for entry in q.by -%}{%- set _ = key_names.append(sqlmetrics.identifier(entry.name)) -%}{%- endfor -%}

{%- set final -%}
{%- if q.table -%}
{%- set _ = steps.append(sqlmetrics.cte(q.metrics[0].name, sqlmetrics.metric_table(q.metrics[0], frames[0], keys))) -%}
{{ sqlmetrics.final_table(q, frames[0], numbered, keys_by_name, key_names) }}
{%- elif q.per_group -%}
{%- set _ = steps.append(sqlmetrics.cte('all_groups', sqlmetrics.all_groups(frames, keys + ['group_id']))) -%}
{{ sqlmetrics.final_per_group(q, frames, numbered, keys_by_name, key_names) }}
{%- elif frames | length == 1 and not numbered and not queries.value -%}
{{ sqlmetrics.final_of_one_frame(q, frames[0], keys, key_names) }}
{%- else -%}
{%- for f in frames -%}
{%- set _ = steps.append(sqlmetrics.cte(f.cte ~ '_metrics', sqlmetrics.frame_metrics(f, keys))) -%}
{%- for m in f.metrics if m.query -%}
{%- set from = f.from ~ (f.where if f.name == 'rows' else '') -%}
{%- set _ = steps.append(sqlmetrics.cte(m.cte ~ '_metrics', sqlmetrics.metric_query(m, from, keys))) -%}
{%- endfor -%}
{%- endfor -%}
{%- if q.diagnostics -%}
{%- set _ = steps.append(sqlmetrics.cte('reads', sqlmetrics.reads(keys_by_name, read_from, 'judgments' in q.relations))) -%}
{%- endif -%}
{{ sqlmetrics.final_of_frames(q, frames, numbered, keys_by_name, key_names) }}
{%- endif -%}
{%- endset -%}
-- {{ sqlmetrics.comment_text(q.title) }}
{{ sqlmetrics.give_line_breaks('with\n' ~ steps | join(',\n') ~ '\n' ~ final ~ sqlmetrics.statement_end()) }}
{%- endmacro -%}

{#- Whether a frame makes no window inside a slice, as its file says: then the slice columns themselves do. -#}
{%- macro groups_by_columns(f) -%}
{%- set frame = sqlmetrics.known_frames()[f.name] -%}
{{ return(frame.slices == 'columns' and (frame.when is none or f.params[frame.when.parameter] == frame.when.value)) }}
{%- endmacro -%}

{#- The aggregates of one frame: rows used, then every metric. -#}
{%- macro frame_aggregates(f) -%}
{%- set items = [sqlmetrics.rows_used(f) ~ ' as n'] -%}
{%- for m in f.metrics if not m.query -%}
{%- for column in m.columns -%}
{%- set _ = items.append(sqlmetrics.indented(sqlmetrics.metric_value(m, column.name)) ~ ' as ' ~ sqlmetrics.identifier(column.as)) -%}
{%- endfor -%}
{%- endfor -%}
{%- for diagnostic in f.diagnostics -%}
{%- set _ = items.append(diagnostic.sql ~ ' as ' ~ diagnostic.name) -%}
{%- endfor -%}
{{ sqlmetrics.lines(items) }}
{%- endmacro -%}

{%- macro rows_used(f) -%}
{{ 'count(*)' if f.name in ['rows', 'ranked_scores'] else 'cast(coalesce(sum(row_count), 0) as bigint)' }}
{%- endmacro -%}

{%- macro frame_metrics(f, keys) -%}
select
    {{ sqlmetrics.lines(keys + [sqlmetrics.frame_aggregates(f)]) }}
from {{ f.from }}
{{- f.where if f.name == 'rows' }}
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}

{#- How many rows each slice held before any was dropped, and how many of its groups nobody judged. -#}
{%- macro reads(keys, read_from, judged) -%}
{%- set unjudged = ['count(distinct case when judged_groups.judged_group is null then group_id end) as groups_unjudged'] -%}
select
    {{ sqlmetrics.lines(keys + ['count(*) as rows_read'] + (unjudged if judged else [])) }}
from {{ read_from }}
{%- if judged %}
left join (
    select distinct
        group_id as judged_group
    from all_judgments
) as judged_groups
    on {{ read_from }}.group_id = judged_groups.judged_group
{%- endif -%}
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}

{#- One frame whose rows carry the slice columns themselves, or no slices at all: a single aggregate. -#}
{%- macro final_of_one_frame(q, f, keys, key_names) -%}
{%- set items = [] -%}
{%- for key in keys -%}
{%- set _ = items.append(key ~ ' as ' ~ key_names[loop.index0]) -%}
{%- endfor -%}
{%- if q.diagnostics -%}
{%- set _ = items.append('(select count(*) from source) as rows_read') -%}
{%- set _ = items.append('(select count(*) from source) - ' ~ sqlmetrics.rows_used(f) ~ ' as rows_dropped') -%}
{%- if 'judgments' in q.relations -%}
{%- set _ = items.append('(select count(distinct group_id) from source left join (select distinct group_id as judged_group from all_judgments) as judged_groups on source.group_id = judged_groups.judged_group where judged_group is null) as groups_unjudged') -%}
{%- endif -%}
{%- endif -%}
{%- set _ = items.append(sqlmetrics.frame_aggregates(f)) -%}
{%- if q.checks -%}
{%- set _ = items.append('(select count(*) from source) as sqlmetrics_all_rows') -%}
{%- endif -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ f.from }}
{{- f.where if f.name == 'rows' }}
{{- sqlmetrics.group_by(keys) }}
{{- sqlmetrics.order_by(key_names) }}
{%- endmacro -%}

{%- macro order_by(keys) -%}
{%- if keys %}
order by
    {{ keys | join(' nulls last,\n    ') }} nulls last
{%- endif -%}
{%- endmacro -%}

{%- macro slice_items(q, key_names) -%}
{%- set items = [] -%}
{%- if q.groupings -%}
{%- set cases = [] -%}
{%- for grouping in q.groupings -%}
{%- set _ = cases.append('when ' ~ grouping.id ~ ' then ' ~ sqlmetrics.text_literal(grouping.name)) -%}
{%- endfor -%}
{%- set _ = items.append('case slices.grouping_id ' ~ cases | join(' ') ~ ' end as ' ~ sqlmetrics.identifier('grouping')) -%}
{%- endif -%}
{%- for name in key_names -%}
{%- set _ = items.append('slices.slice_' ~ loop.index ~ ' as ' ~ name) -%}
{%- endfor -%}
{%- if q.models -%}
{%- set cases = [] -%}
{%- for model in q.models -%}
{%- set _ = cases.append('when ' ~ loop.index ~ ' then ' ~ sqlmetrics.text_literal(model.name)) -%}
{%- endfor -%}
{%- set _ = items.append('case slices.model_id ' ~ cases | join(' ') ~ ' end as model') -%}
{%- endif -%}
{{ items | join(',\n    ') }}
{%- endmacro -%}

{%- macro final_of_frames(q, frames, numbered, keys_by_name, key_names) -%}
{%- set first = frames[0].cte ~ '_metrics' -%}
{%- set items = [] -%}
{%- if numbered -%}
{%- set _ = items.append(sqlmetrics.slice_items(q, key_names)) -%}
{%- endif -%}
{%- set _ = items.append('coalesce(' ~ first ~ '.n, 0) as n') -%}
{%- if q.diagnostics -%}
{%- set _ = items.append('coalesce(reads.rows_read, 0) as rows_read') -%}
{%- set _ = items.append('coalesce(reads.rows_read, 0) - coalesce(' ~ first ~ '.n, 0) as rows_dropped') -%}
{%- if 'judgments' in q.relations -%}{%- set _ = items.append('reads.groups_unjudged') -%}{%- endif -%}
{%- for f in frames -%}
{%- for diagnostic in f.diagnostics -%}
{%- set _ = items.append(f.cte ~ '_metrics.' ~ diagnostic.name) -%}
{%- endfor -%}
{%- endfor -%}
{%- endif -%}
{%- for m in q.metrics -%}
{%- for column in m.columns -%}
{%- set _ = items.append(m.cte ~ '_metrics.' ~ sqlmetrics.identifier(column.as)) -%}
{%- endfor -%}
{%- endfor -%}
{%- if q.checks -%}
{%- for f in frames -%}
{%- set _ = items.append(f.cte ~ '_metrics.n as sqlmetrics_used_rows_' ~ loop.index) -%}
{%- endfor -%}
{%- set _ = items.append('(select count(*) from source) as sqlmetrics_all_rows') -%}
{%- endif -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ 'slices' if numbered else first }}
{%- set results = [] -%}
{%- for f in frames -%}
{%- set _ = results.append(f.cte ~ '_metrics') -%}
{%- for m in f.metrics if m.query -%}{%- set _ = results.append(m.cte ~ '_metrics') -%}{%- endfor -%}
{%- endfor -%}
{%- for result in results -%}
{%- if numbered %}
left join {{ result }}
    on slices.slice_id = {{ result }}.slice_id
{%- elif result != first %}
left join {{ result }}
    on 1 = 1
{%- endif -%}
{%- endfor -%}
{%- if q.diagnostics -%}
{%- if numbered %}
left join reads
    on {% for key in keys_by_name %}{{ sqlmetrics.same_value('slices.' ~ key, 'reads.' ~ key) }}{{ '\n    and ' if not loop.last }}{% endfor %}
{%- else %}
cross join reads
{%- endif -%}
{%- endif -%}
{%- if numbered %}
order by
    slices.slice_id
{%- endif -%}
{%- endmacro -%}

{#- A table metric: its rows, with the slice columns in front. -#}
{#- A name alone in `order by` is a result column, and a slice may be called like a column of the table: hence the prefix. -#}
{%- macro final_table(q, f, numbered, keys_by_name, key_names) -%}
{%- set m = q.metrics[0] -%}
{%- set order = ['slices.slice_id'] if numbered else [] -%}
{%- for column in m.order -%}
{%- set _ = order.append(m.name ~ '.' ~ column) -%}
{%- endfor -%}
{%- set items = [] -%}
{%- if numbered -%}
{%- set _ = items.append(sqlmetrics.slice_items(q, key_names)) -%}
{%- endif -%}
{%- for column in m.columns -%}
{%- set name = sqlmetrics.identifier(column.as) -%}
{%- set _ = items.append(m.name ~ '.' ~ column.name ~ ('' if name == column.name else ' as ' ~ name)) -%}
{%- endfor -%}
select{{ sqlmetrics.broadcast('slices') if numbered }}
    {{ sqlmetrics.lines(items) }}
from {{ m.name }}
{%- if numbered %}
inner join slices
    on {{ m.name }}.slice_id = slices.slice_id
{%- endif %}
order by
    {{ order | join(',\n    ') }}
{%- endmacro -%}

{#- The groups of all frames, each of which may have left out others. -#}
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

{#- One row per slice and group: the table from which the means are taken. -#}
{%- macro final_per_group(q, frames, numbered, keys_by_name, key_names) -%}
{%- set items = [] -%}
{%- if numbered -%}
{%- set _ = items.append(sqlmetrics.slice_items(q, key_names)) -%}
{%- endif -%}
{%- set _ = items.append('all_groups.group_id as ' ~ sqlmetrics.identifier(q.group_name)) -%}
{%- set _ = items.append('cast(coalesce(' ~ frames[0].cte ~ '.row_count, 0) as bigint) as n') -%}
{%- for m in q.metrics -%}
{%- if m.frame == 'group_scores' -%}
{%- set _ = items.append(m.cte ~ '.' ~ sqlmetrics.metric_per_group(m, m.name) ~ ' as ' ~ sqlmetrics.identifier(m.as)) -%}
{%- else -%}
{%- for column in m.group_columns -%}
{%- set value = m.cte ~ '.' ~ sqlmetrics.identifier(column.as) -%}
{%- if m.empty is defined and m.empty != 'skip' -%}
{%- set value = 'coalesce(' ~ value ~ ', ' ~ {'zero': 0, 'one': 1}[m.empty] ~ ')' -%}
{%- endif -%}
{%- set _ = items.append(value ~ ' as ' ~ sqlmetrics.identifier(column.shown)) -%}
{%- endfor -%}
{%- endif -%}
{%- endfor -%}
select{{ sqlmetrics.broadcast('slices') if numbered }}
    {{ sqlmetrics.lines(items) }}
from all_groups
{%- if numbered %}
inner join slices
    on all_groups.slice_id = slices.slice_id
{%- endif -%}
{%- for f in frames %}
left join {{ f.cte }}
    on {{ 'all_groups.slice_id = ' ~ f.cte ~ '.slice_id
    and ' if numbered }}all_groups.group_id = {{ f.cte }}.group_id
{%- endfor %}
order by
    {{ 'slices.slice_id,
    ' if numbered }}all_groups.group_id
{%- endmacro -%}
