{#- How far slices are apart: a row per grouping, model and metric, with the two slices that are farthest apart, and how sure their
    difference is. The slices are two samples, as two relations are that are compared: a row is in one of them, a cluster may be
    in both. -#}
{%- macro ending_of_gaps(q, frames, slicing) -%}
{%- set steps = [] -%}
{%- for f in frames -%}
{%- do steps.extend(sqlmetrics.metric_steps(f, [sqlmetrics.rows_represented(f) ~ ' as n'] if loop.first else [], slicing)) -%}
{%- endfor -%}
{%- set steps = steps + [
    sqlmetrics.measured_step(q, frames, slicing, steps),
    sqlmetrics.step('slice_pairs', sqlmetrics.slice_pairs(q, slicing), 'the two slices that are farthest apart, by each metric', stored=true),
] -%}
{%- set certain = q.certainty is not none -%}
{%- if certain -%}
{%- set errors = sqlmetrics.errors_of(q, frames, slicing) -%}
{%- set steps = steps + errors.steps + [
    sqlmetrics.step('compared_metrics', sqlmetrics.compared_slices(q, frames, errors), 'these, with the error of their difference', stored=true),
    sqlmetrics.step('differences', sqlmetrics.differences(q), 'how far they are apart, in standard errors', stored=true),
    sqlmetrics.step('tested', sqlmetrics.tested(q), 'how often chance alone would take two slices as far apart', stored=true),
] -%}
{%- endif -%}
{{ return({'steps': steps, 'select': sqlmetrics.gaps_select(q, slicing)}) }}
{%- endmacro -%}

{#- Rows without a slice are no group of their own, which could be the highest. -#}
{%- macro is_named_slice(q, slicing) -%}
{%- set named = [] -%}
{%- for name in slicing.names if name not in ['grouping_id', 'model_id'] -%}
{%- set ids = [] -%}
{%- set position = loop.index -%}
{%- for grouping in q.groupings if position not in grouping['columns'] -%}{%- do ids.append(grouping.id) -%}{%- endfor -%}
{%- do named.append('(grouping_id in (' ~ ids | join(', ') ~ ') or ' ~ name ~ ' is not null)' if ids else name ~ ' is not null') -%}
{%- endfor -%}
{{ return(named | join(' and ')) }}
{%- endmacro -%}

{#- Of slices that are equal, the first is the highest and the last the lowest. One slice alone is no pair. -#}
{%- macro slice_pairs(q, slicing) -%}
{%- set kept = [] -%}
{%- for key in slicing.names if key in ['grouping_id', 'model_id'] -%}{%- do kept.append(key) -%}{%- endfor -%}
{%- set kept = kept + ['metric_id'] -%}
{%- set cases = [] -%}
{%- for m in q.metrics -%}{%- do cases.append('when ' ~ loop.index ~ ' then value_' ~ loop.index) -%}{%- endfor -%}
{%- set is_compared = sqlmetrics.is_named_slice(q, slicing) ~ (' and n >= ' ~ q.comparison.min_rows if q.comparison.min_rows is not none else '') -%}
{%- set value = 'case when ' ~ is_compared ~ ' then case metric_id ' ~ cases | join(' ') ~ ' end end' -%}
{%- set without = 'case when value is null then 1 else 0 end asc, ' -%}
select
    {{ sqlmetrics.lines(kept) }},
    max(case when highest = 1 and value is not null then slice_id end) as slice_id,
    max(value) as value,
    case when count(value) > 1 then max(case when lowest = 1 then slice_id end) end as baseline_id,
    case when count(value) > 1 then min(value) end as baseline_value,
    count(value) as slices,
    sum(n) as n
from (
    select
        {{ (['slice_id'] + kept + ['n', 'value']) | join(',\n        ') }},
        row_number() {{ sqlmetrics.over(kept, without ~ 'value desc, slice_id asc') }} as highest,
        row_number() {{ sqlmetrics.over(kept, without ~ 'value asc, slice_id desc') }} as lowest
    from (
        select
            {{ (['slice_id'] + kept + ['n', value ~ ' as value']) | join(',\n            ') }}
        from measured
        cross join (
            {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.numbers(q.metrics | length, 'metric_id')))) }}
        ) as metrics
    ) as values_of_slices
) as ordered_slices
{{- sqlmetrics.group_by(kept) }}
{%- endmacro -%}

{#- Of each metric's own pair, what was found for it; a metric that has no interval has none here. -#}
{%- macro compared_slices(q, frames, errors) -%}
{%- set cases = {'error': {}, 'least_error': {}, 'reach': {}, 'clusters': {}, 'shared_clusters': {}, 'degrees': {}} -%}
{%- for m in sqlmetrics.metrics_in_order(q, frames) if m.as in errors.errors -%}
{%- set number = sqlmetrics.position_of(m.as, sqlmetrics.names_in_result(q.metrics)) -%}
{%- set error = errors.errors[m.as] -%}
{%- do cases['error'].update({number: error.se}) -%}
{%- do cases['least_error'].update({number: sqlmetrics.least_error_of(q, error)}) -%}
{%- do cases['reach'].update({number: error.reach}) -%}
{%- do cases['clusters'].update({number: 'cast(' ~ error.clusters ~ ' as bigint)'}) -%}
{%- do cases['shared_clusters'].update({number: 'cast(' ~ error.clusters | replace('.clusters', '.shared_clusters') ~ ' as bigint)'}) -%}
{%- do cases['degrees'].update({number: error.degrees}) -%}
{%- endfor -%}
{%- set items = ['pairs.slice_id as slice_id', 'pairs.metric_id as metric_id', 'n', 'value', 'baseline_value'] -%}
{%- for name, values in cases.items() -%}
{%- do items.append(sqlmetrics.indented(sqlmetrics.by_metric(q, values, 'pairs.metric_id')) ~ ' as ' ~ name) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(items) }}
from slice_pairs as pairs
{%- for name in errors.joined %}
left join {{ name }}
    on pairs.slice_id = {{ name }}.slice_id
{%- if name.startswith('clusters_in_buckets') %}
    and pairs.metric_id = {{ name }}.metric_id
{%- endif -%}
{%- endfor -%}
{%- endmacro -%}

{#- Any two of all slices might have been the farthest apart, so a chance counts as often as there are pairs (Bonferroni). -#}
{%- macro gaps_select(q, slicing) -%}
{%- set items = [] -%}
{%- set order = [] -%}
{%- if q.groupings -%}
{%- do items.append(sqlmetrics.name_of_grouping(q, 'pairs.grouping_id')) -%}
{%- do order.append('pairs.grouping_id asc') -%}
{%- endif -%}
{%- do order.append('pairs.metric_id asc') -%}
{%- if q.models -%}
{%- do items.append(sqlmetrics.name_of_model(q, 'pairs.model_id')) -%}
{%- do order.append('pairs.model_id asc') -%}
{%- endif -%}
{%- set names = {} -%}
{%- for m in q.metrics -%}{%- do names.update({loop.index: sqlmetrics.text_literal(m.as)}) -%}{%- endfor -%}
{%- do items.append(sqlmetrics.indented(sqlmetrics.by_metric(q, names, 'pairs.metric_id')) ~ ' as metric') -%}
{%- for end in ['highest', 'lowest'] -%}
{%- for entry in q.by -%}{%- do items.append(end ~ '_slices.slice_' ~ loop.index ~ ' as ' ~ sqlmetrics.identifier(end ~ '_' ~ entry.name)) -%}{%- endfor -%}
{%- endfor -%}
{%- do items.extend([
    sqlmetrics.rounded('pairs.value', q.round) ~ ' as highest',
    sqlmetrics.rounded('pairs.baseline_value', q.round) ~ ' as lowest',
    sqlmetrics.rounded('pairs.value - pairs.baseline_value', q.round) ~ ' as difference',
    sqlmetrics.rounded('case when pairs.baseline_value >= 0 then pairs.baseline_value / nullif(pairs.value, 0) end', q.round) ~ ' as ratio',
    'pairs.slices as slices',
    'pairs.n as n',
]) -%}
{%- if q.certainty is not none -%}
{%- set pairs_of_slices = sqlmetrics.to_double('pairs.slices') ~ ' * (pairs.slices - 1) / 2' -%}
{%- set known = 'case when tested.error is not null and pairs.baseline_id is not null then ' -%}
{%- do items.extend([
    sqlmetrics.rounded('tested.difference - tested.reach', q.round) ~ ' as difference_low',
    sqlmetrics.rounded('tested.difference + tested.reach', q.round) ~ ' as difference_high',
    sqlmetrics.rounded(known ~ 'tested.error end', q.round) ~ ' as standard_error',
    sqlmetrics.rounded('case when tested.p_value is not null then least(tested.p_value * ' ~ pairs_of_slices ~ ', 1) end', q.round) ~ ' as p_value',
    'coalesce(' ~ known ~ 'tested.clusters end, 0) as clusters',
    'coalesce(' ~ known ~ 'tested.shared_clusters end, 0) as shared_clusters',
]) -%}
{%- endif -%}
select
    {{ sqlmetrics.lines(items) }}
from slice_pairs as pairs
left join slices as highest_slices
    on pairs.slice_id = highest_slices.slice_id
left join slices as lowest_slices
    on pairs.baseline_id = lowest_slices.slice_id
{%- if q.certainty is not none %}
left join tested
    on pairs.slice_id = tested.slice_id
    and pairs.metric_id = tested.metric_id
{%- endif %}
order by
    {{ sqlmetrics.lines(order) }}
{%- endmacro -%}
