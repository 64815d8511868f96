{#- Rows for the tests of SciPy: the difference of two models in each cluster with a value in both. The value of a cluster is the
    metric over its rows alone. -#}

{%- macro ending_of_cluster_differences(q, frames, slicing) -%}
{%- set names = q.metrics | map(attribute='as') | list -%}
{%- set steps = [] -%}
{%- set values = [] -%}
{%- for f in frames -%}
{%- set units = f.cte ~ '_in_clusters' -%}
{%- set sums = {} -%}
{%- for m in f.metrics if m.interval -%}
{%- set number = sqlmetrics.position_of(m.as, names) -%}
{%- set sums_of_metric = sqlmetrics.sums_of(m, f, 'm' ~ number) -%}
{%- if not sums_of_metric or f.unit is none -%}
{%- do sqlmetrics.raise_error(none, 'test: ' ~ m.as ~ ' has no value per cluster; remove the metric or ⟨test⟩') -%}
{%- endif -%}
{%- for column in sums_of_metric -%}{%- do sums.update({column.name: column.value}) -%}{%- endfor -%}
{%- set value_of_cluster -%}
select
    slice_id,
    {{ number }} as metric_id,
    cluster_name,
    {{ sqlmetrics.to_double(sqlmetrics.indented(sqlmetrics.metric_value(dict(m, state=[], state_name='m' ~ number, written_as=''), m.name))) }} as value
from {{ units }}
{%- endset -%}
{%- do values.append(value_of_cluster) -%}
{%- endfor -%}
{%- do steps.extend(sqlmetrics.contributions(q, f, slicing, units, sums)) -%}
{%- endfor -%}
{{ return({
    'steps': sqlmetrics.contrast_value_steps(q, frames, slicing, sqlmetrics.contrasts_of_models(q, slicing)) + sqlmetrics.shared_steps(steps) + [
        sqlmetrics.step('values_of_clusters', values | join('\nunion all\n'), 'value of each metric within each cluster'),
    ],
    'select': sqlmetrics.cluster_differences(),
}) }}
{%- endmacro -%}

{#- Values that agree to twelve digits are equal: engines add in different orders, and the tests use signs of differences. -#}
{%- macro cluster_differences() -%}
{%- set difference = 'sum(case side when 1 then clusters.value else -clusters.value end)' -%}
select
    contrasts.slice_id as slice_id,
    contrasts.metric_id as metric_id,
    case when abs({{ difference }}) > 1e-12 * max(abs(clusters.value)) then {{ difference }} else 0 end as difference
{{ sqlmetrics.from_both_sides('values_of_clusters', 'clusters') }}
    and contrasts.metric_id = clusters.metric_id
where clusters.value is not null
group by contrasts.slice_id, contrasts.metric_id, cluster_name
having count(*) = 2
{%- endmacro -%}
