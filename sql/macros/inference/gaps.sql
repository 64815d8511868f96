{#- Gaps between slices: one row per grouping, model and metric, with the highest and the lowest slice and the interval of their
    difference. -#}
{#- Rows without a slice value do not form a slice that could be the highest. -#}
{%- macro is_named_slice(q, slicing) -%}
{%- for name in slicing.names if name not in ['grouping_id', 'model_id'] -%}
{%- set position = loop.index -%}
{%- set ids -%}
{%- for grouping in q.groupings if position not in grouping['columns'] -%}{{ ', ' if not loop.first }}{{ grouping.id }}{%- endfor -%}
{%- endset -%}
{{ ' and ' if not loop.first }}{{ '(grouping_id in (' ~ ids ~ ') or ' ~ name ~ ' is not null)' if ids else name ~ ' is not null' }}
{%- endfor -%}
{%- endmacro -%}

{#- Among ties, the first slice is the highest and the last the lowest. A single slice has no gap. -#}
{%- macro contrasts_of_slices(q, slicing) -%}
{%- set keys = slicing.names | select('in', ['grouping_id', 'model_id']) | list + ['metric_id'] -%}
{%- set least = q.comparison.min_rows -%}
{%- set undefined_last = 'case when value is null then 1 else 0 end asc, ' -%}
select
    {{ sqlmetrics.select_list(keys) }},
    max(case when highest = 1 and value is not null then slice_id end) as slice_id,
    max(value) as value,
    case when count(value) > 1 then max(case when lowest = 1 then slice_id end) end as baseline_id,
    case when count(value) > 1 then min(value) end as baseline_value,
    count(value) as slices,
    cast(sum(n) as bigint) as n
from (
    select
        {{ (['slice_id'] + keys + ['n', 'value']) | join(',\n        ') }},
        row_number() {{ sqlmetrics.over(keys, undefined_last ~ 'value desc, slice_id asc') }} as highest,
        row_number() {{ sqlmetrics.over(keys, undefined_last ~ 'value asc, slice_id desc') }} as lowest
    from (
        select
            {{ (['slice_id'] + keys + ['n']) | join(',\n            ') }},
            case when {{ sqlmetrics.is_named_slice(q, slicing) }}{{ ' and n >= ' ~ least if least is not none }} then value end as value
        from estimates
    ) as values_of_slices
) as ordered_slices
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}

{#- Any pair of slices could be the farthest apart, so the p-value is multiplied by the number of pairs (Bonferroni). -#}
{%- macro gaps_select(q) -%}
{%- set names = {} -%}
{%- for m in q.metrics -%}{%- do names.update({loop.index: sqlmetrics.text_literal(m.as)}) -%}{%- endfor -%}
{%- set known = 'case when p_values.standard_error is not null and contrasts.baseline_id is not null then ' -%}
{%- set pairs_of_slices = sqlmetrics.to_double('contrasts.slices') ~ ' * (contrasts.slices - 1) / 2' -%}
{%- set numbers = {
    'highest': 'contrasts.value',
    'lowest': 'contrasts.baseline_value',
    'difference': 'contrasts.value - contrasts.baseline_value',
    'ratio': 'case when contrasts.baseline_value >= 0 then contrasts.baseline_value / nullif(contrasts.value, 0) end',
} -%}
{%- set certain_numbers = {
    'difference_low': 'p_values.difference - p_values.half_width',
    'difference_high': 'p_values.difference + p_values.half_width',
    'standard_error': known ~ 'p_values.standard_error end',
    'p_value': 'case\n        when p_values.p_value is not null then least(p_values.p_value * ' ~ pairs_of_slices ~ ', 1)\n    end',
} -%}
select
{%- if q.groupings %}
    {{ sqlmetrics.name_of_grouping(q, 'contrasts.grouping_id') }},
{%- endif %}
{%- if q.models %}
    {{ sqlmetrics.name_of_model(q, 'contrasts.model_id') }},
{%- endif %}
    {{ sqlmetrics.indented(sqlmetrics.by_metric(q, names, 'contrasts.metric_id')) }} as metric,
{%- for end in ['highest', 'lowest'] %}
{%- for entry in q.by %}
    {{ end }}_slices.slice_{{ loop.index }} as {{ sqlmetrics.identifier(end ~ '_' ~ entry.name) }},
{%- endfor %}
{%- endfor %}
{%- for name, value in numbers.items() %}
    {{ sqlmetrics.rounded(value, q.round) }} as {{ name }},
{%- endfor %}
    contrasts.slices as slices,
    contrasts.n as n
{%- if q.interval_options is not none %},
{%- for name, value in certain_numbers.items() %}
    {{ sqlmetrics.rounded(value, q.round) }} as {{ name }},
{%- endfor %}
    cast(coalesce(
        {{ known }}p_values.clusters end,
        0
    ) as bigint) as clusters,
    cast(coalesce(
        {{ known }}p_values.shared_clusters end,
        0
    ) as bigint) as shared_clusters
{%- endif %}
from contrasts
left join slices as highest_slices on contrasts.slice_id = highest_slices.slice_id
left join slices as lowest_slices on contrasts.baseline_id = lowest_slices.slice_id
{%- if q.interval_options is not none %}
left join p_values
    on contrasts.slice_id = p_values.slice_id
    and contrasts.metric_id = p_values.metric_id
{%- endif %}
{%- set order = (['grouping_id'] if q.groupings else []) + ['metric_id'] + (['model_id'] if q.models else []) %}
{{- sqlmetrics.by_keys('order by', sqlmetrics.for_each(order, 'contrasts.{0} asc')) }}
{%- endmacro -%}
