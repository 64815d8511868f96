{#- Grouped jackknife: values without each of twenty buckets of clusters, and their variance (B - 1) / B · Σ (v - mean)². The bucket
    is one more key of the frame. -#}
{%- macro influences_by_buckets(q, f, slicing, metrics) -%}
{%- if f.judged -%}
{%- do sqlmetrics.raise_error(none, 'confidence: ' ~ metrics[0].as ~ ' has no interval with judgments; remove the metric or ⟨confidence⟩') -%}
{%- endif -%}
{%- set own = [] -%}
{%- for m in metrics -%}{%- do own.append(dict(m, cte=m.cte ~ '_without_buckets')) -%}{%- endfor -%}
{#- Skip columns that only other metrics use. -#}
{%- set without = dict(f, cte=f.cte ~ '_without_buckets', suffix=f.suffix ~ '_without_buckets', uses=sqlmetrics.uses_of(metrics), metrics=own, diagnostics=[], optimal_thresholds=false, ranked_with=none) -%}
{%- set of = sqlmetrics.of_rows_used(q, f) -%}
{%- set replicated = {'keys': slicing['keys'] + ['bucket_left_out'], 'rows_from': 'without_buckets' ~ of} -%}
{%- set steps = sqlmetrics.bucket_steps(q, f, slicing) + sqlmetrics.frame_steps(without, replicated.rows_from, replicated['keys']) -%}
{%- set estimates = [] -%}
{%- for step in sqlmetrics.metric_steps(without, [], replicated) -%}
{%- set of_step = [] -%}
{%- for m in own if m.cte ~ '_metrics' == step.name -%}{%- do of_step.append(m) -%}{%- endfor -%}
{%- do estimates.append({
    'name': step.name,
    'steps': steps + [dict(step, materialized=step.materialized or q.comparison is not none)],
    'values_step': step.name,
    'metrics': of_step,
    'of': of,
    'clusters': 'clusters_in_buckets' ~ of ~ '.clusters',
    'joined': ['clusters_in_buckets' ~ of] if q.diagnostics else [],
}) -%}
{%- endfor -%}
{{ return(estimates) }}
{%- endmacro -%}

{#- Suffix for a frame with a filter, which has its own buckets: one without valid rows would add a value and a degree of freedom. -#}
{%- macro of_rows_used(q, f) -%}
{{ return(sqlmetrics.of_groups(q, f) ~ ('_of_' ~ f.name ~ f.suffix if f.where else '')) }}
{%- endmacro -%}

{#- The zero-based bucket of a digest, the same on every engine and every day. -#}
{%- macro bucket_of(digest, buckets) -%}
floor((
{%- for factor in [256, 16, 1] %}
    {{ '+ ' if not loop.first }}({{ sqlmetrics.dialect_text('text_position', 'substr(' ~ digest ~ ', ' ~ loop.index ~ ', 1)', "'0123456789abcdef'") }} - 1) * {{ factor }}
{%- endfor %}
) * {{ sqlmetrics.to_double(buckets) }} / 4096)
{%- endmacro -%}

{#- Rows repeated for every bucket but their own. The bucket of a cluster follows from its name, on every engine. The name of an
    unclustered row is its row number. A bucket that only one of two samples has is removed from both, which leaves the other sample
    whole. -#}
{%- macro bucket_steps(q, f, slicing) -%}
{%- set keys = slicing['keys'] -%}
{%- set of = sqlmetrics.of_rows_used(q, f) -%}
{%- set columns = f.parts['keys'] + f.parts.sums | list if f.of_parts else sqlmetrics.derived_columns(q.derived) -%}
{%- set two_samples = sqlmetrics.of_two_samples(q) -%}
{%- set steps -%}
{{ sqlmetrics.cte('bucketed' ~ of, 'each row in one of twenty buckets of clusters', materialized=true) }}
{%- if f.of_parts %}
{{ sqlmetrics.sums_of_parts(f.parts, slicing.rows_from, keys + ['bucket']) }}
{%- else %}
select
    {{ sqlmetrics.select_list(keys + columns + ['cluster_name']) }},
    {{ sqlmetrics.indented(sqlmetrics.bucket_of('digest', '20')) }} as bucket
from (
    select
        {{ (keys + columns + ['cluster_name', sqlmetrics.text_digest('cluster_name') ~ ' as digest']) | join(',\n        ') }}
    from named_rows{{ sqlmetrics.of_groups(q, f) }}
    {{- sqlmetrics.indented(f.where) }}
{%- if q.all_weighted %}
    {{ 'and' if f.where else 'where' }} {{ sqlmetrics.has_weight(q) }}
{%- endif %}
) as digested
{%- endif %}
{{ sqlmetrics.cte('buckets' ~ of, 'nonempty buckets') }}
{%- if two_samples %}
select distinct
    case side when 1 then contrasts.slice_id else contrasts.baseline_id end as slice_id,
    bucket as bucket_left_out
from contrasts
inner join (
    select distinct
        slice_id,
        bucket
    from bucketed{{ of }}
) as own_buckets on own_buckets.slice_id in (contrasts.slice_id, contrasts.baseline_id)
cross join {{ sqlmetrics.numbers(2, 'side', 'sides') }}
{%- else %}
select distinct
    {{ sqlmetrics.select_list(keys + ['bucket as bucket_left_out']) }}
from bucketed{{ of }}
{%- endif %}
{{ sqlmetrics.cte('without_buckets' ~ of, 'rows repeated for every bucket but their own') }}
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('bucketed', keys) + ['bucket_left_out'] + columns) }}
from bucketed{{ of }} as bucketed
inner join buckets{{ of }} as buckets{{ sqlmetrics.on('bucketed', 'buckets', keys, ['bucketed.bucket <> buckets.bucket_left_out']) }}
{{ sqlmetrics.cte('clusters_in_buckets' ~ of, 'number of clusters') }}
{{ sqlmetrics.clusters_in_buckets(q, of, keys) }}
{%- endset -%}
{{ return(([] if f.of_parts else [sqlmetrics.named_rows_step(q, slicing, sqlmetrics.of_groups(q, f))]) + sqlmetrics.steps_in(steps)) }}
{%- endmacro -%}

{%- macro clusters_in_buckets(q, of, keys) -%}
{%- if sqlmetrics.of_two_samples(q) -%}
select
    slice_id,
    metric_id,
    count(*) as clusters,
    sum(case when sides = 2 then 1 else 0 end) as shared_clusters
from (
    select
        contrasts.slice_id as slice_id,
        metric_id,
        cluster_name,
        count(distinct side) as sides
    {{ sqlmetrics.indented(sqlmetrics.from_both_sides('bucketed' ~ of, 'bucketed')) }}
    group by contrasts.slice_id, metric_id, cluster_name
) as clusters_and_sides
group by slice_id, metric_id
{%- else -%}
select
    {{ sqlmetrics.select_list(keys + ['count(distinct cluster_name) as clusters']) }}
from bucketed{{ of }}
{{- sqlmetrics.group_by(keys) }}
{%- endif -%}
{%- endmacro -%}

{#- Standard error from the jackknife values and their mean, if every value is defined. -#}
{%- macro error_of_buckets(value, mean) -%}
{%- set deviation = '(' ~ value ~ ' - ' ~ mean ~ ')' -%}
case
    when count({{ value }}) = count(*) and count(*) > 1
        then sqrt(sum({{ deviation }} * {{ deviation }}) * (count(*) - 1) / count(*))
end
{%- endmacro -%}

{%- macro errors_of_values(estimate, keys) -%}
select
    {{- sqlmetrics.leading(keys) }}
{%- for m in estimate.metrics %}
    {{ sqlmetrics.indented(sqlmetrics.error_of_buckets('value_' ~ m.number, 'mean_' ~ m.number)) }} as standard_error_{{ m.number }},
    nullif({{ sqlmetrics.to_double('count(*) - 1') }}, 0) as degrees_of_freedom_{{ m.number }}{{ ',' if not loop.last }}
{%- endfor %}
from (
    select
        {{- sqlmetrics.leading(keys, depth=2) }}
{%- for m in estimate.metrics %}
        {{ sqlmetrics.identifier(m.as) }} as value_{{ m.number }},
        avg({{ sqlmetrics.identifier(m.as) }}) {{ sqlmetrics.over(keys) }} as mean_{{ m.number }}{{ ',' if not loop.last }}
{%- endfor %}
    from {{ estimate.values_step }}
) as values_and_means
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}

{#- The same for contrasts. If only one of two samples varies, its clusters do not show the variance of the other. -#}
{%- macro errors_of_contrasts_without_buckets(q, estimate) -%}
{%- set two_samples = sqlmetrics.of_two_samples(q) -%}
{%- set error = sqlmetrics.indented(sqlmetrics.error_of_buckets('difference', 'mean')) -%}
select
    distances.slice_id as slice_id,
    distances.metric_id as metric_id,
    {{ sqlmetrics.to_double('max(counted.clusters)') }} as clusters,
{%- if two_samples %}
    {{ sqlmetrics.to_double('max(counted.shared_clusters)') }} as shared_clusters,
{%- endif %}
    nullif({{ sqlmetrics.to_double('count(*)') }} - 1, 0) as degrees_of_freedom,
    {{ error }} as standard_error
{%- if two_samples %},
    case
        when max(counted.shared_clusters) = 0 then least(max(value) - min(value), max(baseline_value) - min(baseline_value))
        else {{ sqlmetrics.indented(error) }}
    end as least_standard_error
{%- endif %}
{%- if sqlmetrics.has_ideals(q) %},
    {{ sqlmetrics.to_double('null') }} as standard_error_of_distance
{%- endif %}
from (
    select
        slice_id,
        metric_id,
        value,
        baseline_value,
        difference,
        avg(difference) {{ sqlmetrics.over(['slice_id', 'metric_id']) }} as mean
    from (
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.contrasts_without_buckets(q, estimate))) }}
    ) as contrasts_without_buckets
) as distances
left join clusters_in_buckets{{ estimate.of }} as counted on distances.slice_id = counted.slice_id
{%- if two_samples %}
    and distances.metric_id = counted.metric_id
{%- endif %}
group by distances.slice_id, distances.metric_id
{%- endmacro -%}

{#- Both sides of a contrast without each bucket, and their difference. -#}
{%- macro contrasts_without_buckets(q, estimate) -%}
{%- set values = {} -%}
{%- for m in estimate.metrics -%}{%- do values.update({m.number: sqlmetrics.to_double('without_buckets.' ~ sqlmetrics.identifier(m.as))}) -%}{%- endfor -%}
{%- set value = sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.by_metric(q, values, 'contrasts.metric_id'))) -%}
select
    slice_id,
    metric_id,
    value,
    baseline_value,
    (value - baseline_value){{ sqlmetrics.per_baseline(q) }} as difference
from (
    select
        contrasts.slice_id as slice_id,
        contrasts.metric_id as metric_id,
        max(case when side = 1 then {{ value }} end) as value,
        max(case when side = 2 then {{ value }} end) as baseline_value
    {{ sqlmetrics.indented(sqlmetrics.from_both_sides(estimate.values_step, 'without_buckets')) }}
{%- if sqlmetrics.of_two_samples(q) %}
    inner join (
        select distinct
            contrasts.slice_id,
            metric_id,
            bucket
        from contrasts
        inner join bucketed{{ estimate.of }} as bucketed on bucketed.slice_id in (contrasts.slice_id, contrasts.baseline_id)
    ) as own_buckets
        on contrasts.slice_id = own_buckets.slice_id
        and contrasts.metric_id = own_buckets.metric_id
        and without_buckets.bucket_left_out = own_buckets.bucket
{%- endif %}
    {{- sqlmetrics.indented(sqlmetrics.where_own_metrics(q, estimate.metrics)) }}
    group by contrasts.slice_id, contrasts.metric_id, without_buckets.bucket_left_out
    having count(*) = 2
) as values_of_sides
{%- endmacro -%}
