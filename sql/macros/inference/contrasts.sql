{#- A contrast is the difference of a metric in two slices: a model and the baseline (compare), or the slices farthest apart (gaps).
    The influence of a cluster on it is the difference of its influences on both values, so noise that both share cancels. Two
    relations, or two slices, are two samples with different rows. A cluster with rows in both is a pair.

    - estimates: one row per slice and metric.
    - contrasts: slice_id, metric_id, baseline_id, n, value, baseline_value and, if a metric has a best value, ideal.
    - contrast_errors: slice_id, metric_id, clusters, degrees_of_freedom, standard_error. For two samples also shared_clusters
      and least_standard_error, which uses the smaller variance of both.
    - differences, p_values: the same rows with differences, half-widths and p-values. -#}

{%- macro of_two_samples(q) -%}
{{ return(q.comparison is not none and (q.comparison.gaps or q.against is not none)) }}
{%- endmacro -%}

{#- Whether both sides match clusters by name. Without clusters, a row of two samples is on one side only. -#}
{%- macro clusters_are_named(q, f) -%}
{{ return(q.comparison is not none and (q.interval_options.cluster is not none or f.unit == 'group' or q.row_ids)) }}
{%- endmacro -%}

{%- macro cluster_column(q, f) -%}
{{ return('group_id' if sqlmetrics.clusters_are_groups(q, f) else 'cluster_id' if q.interval_options.cluster is not none else 'row_id') }}
{%- endmacro -%}

{#- If groups are the clusters, they need no join to clusters. -#}
{%- macro clusters_are_groups(q, f) -%}
{{ return(f.unit == 'group' and (q.interval_options.cluster is none or ('group' in q.roles and q.interval_options.cluster == q.roles['group']))) }}
{%- endmacro -%}

{#- Whether a metric has a best value inside its range: models are then also compared by distance from it. -#}
{%- macro has_ideals(q) -%}{{ return(not q.comparison.gaps and q.metrics | rejectattr('best_value', 'none') | list != []) }}{%- endmacro -%}

{#- A column that differs by metric: `cases` maps numbers of metrics to SQL. -#}
{%- macro by_metric(q, cases, column='metric_id') -%}
{%- if q.metrics | length == 1 and cases -%}
{{ (cases.values() | list)[0] }}
{%- elif cases -%}
case {{ column }}
{%- for value, text in cases.items() %}
    when {{ value }} then {{ text }}
{%- endfor %}
end
{%- else -%}
{{ sqlmetrics.to_double('null') }}
{%- endif -%}
{%- endmacro -%}

{#- Values of all metrics in all slices, joined from `steps`. -#}
{%- macro estimates_step(q, frames, slicing, steps) -%}
{%- set values = {} -%}
{%- for m in sqlmetrics.metrics_in_order(q, frames) -%}
{%- do values.update({loop.index: sqlmetrics.to_double(sqlmetrics.value_of(m))}) -%}
{%- endfor -%}
{#- Models without slices are their own slices. -#}
{%- set slice_id, slices = ['model_id', sqlmetrics.numbers(q.models | length, 'model_id', 'slices')] if slicing.names == ['model_id'] else ['slice_id', 'slices'] -%}
{%- set estimates -%}
select
    slices.{{ slice_id }} as slice_id,
{%- for name in slicing.names %}
    slices.{{ name }} as {{ name }},
{%- endfor %}
    {{ 'metric_id' if q.metrics | length > 1 else '1 as metric_id' }},
    coalesce({{ frames[0].cte }}_metrics.n, 0) as n,
    {{ sqlmetrics.indented(sqlmetrics.by_metric(q, values)) }} as value
from {{ slices }}
{%- if q.metrics | length > 1 %}
cross join {{ sqlmetrics.numbers(q.metrics | length, 'metric_id', 'metrics') }}
{%- endif %}
{%- for step in steps %}
left join {{ step.name }} on slices.{{ slice_id }} = {{ step.name }}.slice_id
{%- endfor -%}
{%- endset -%}
{{ return(sqlmetrics.step('estimates', estimates, 'one per slice and metric', materialized=true)) }}
{%- endmacro -%}

{#- Steps up to the values of both sides: `contrasts` is the body of that step. -#}
{%- macro contrast_value_steps(q, frames, slicing, contrasts) -%}
{%- set steps = [] -%}
{%- for f in frames -%}
{%- do steps.extend(sqlmetrics.metric_steps(f, [sqlmetrics.rows_represented(f) ~ ' as n'] if loop.first else [], slicing)) -%}
{%- endfor -%}
{{ return(steps + [
    sqlmetrics.estimates_step(q, frames, slicing, steps),
    sqlmetrics.step('contrasts', contrasts, 'one per metric and pair of slices', materialized=true),
]) }}
{%- endmacro -%}

{#- Adds intervals and p-values. -#}
{%- macro contrast_steps(q, frames, slicing, contrasts) -%}
{%- set steps = sqlmetrics.contrast_value_steps(q, frames, slicing, contrasts) -%}
{%- if q.interval_options is none -%}
{{ return(steps) }}
{%- endif -%}
{%- set errors = sqlmetrics.errors_of_contrasts(q, frames, slicing) -%}
{{ return(steps + errors.steps + [
    sqlmetrics.step('contrast_errors', errors.body, 'standard error of each difference', materialized=true),
    sqlmetrics.step('differences', sqlmetrics.differences(q), 'differences with half-widths and z-scores', materialized=true),
    sqlmetrics.step('p_values', sqlmetrics.p_values(q), 'p-value of each difference', materialized=true),
]) }}
{%- endmacro -%}

{%- macro errors_of_contrasts(q, frames, slicing) -%}
{%- if q.interval_options.replicates is not none -%}
{{ return(sqlmetrics.errors_of_contrasts_by_bootstrap(q, frames, slicing)) }}
{%- endif -%}
{%- set estimates = sqlmetrics.estimates_of_frames(q, frames, slicing) -%}
{%- set steps = [] -%}
{%- for estimate in estimates -%}
{%- set own = dict(estimate, influences='select * from ' ~ estimate.name ~ '_influences', pairs=none) -%}
{%- do steps.extend(estimate.steps + ([] if estimate.values_step is defined else [
    sqlmetrics.step(estimate.name ~ '_influences', sqlmetrics.influences_of_slices(q, estimate), 'cluster influences on a value', materialized=q.comparison.own_intervals),
    sqlmetrics.step(estimate.name ~ '_differences', sqlmetrics.differences_of_clusters(q, estimate), 'cluster influences on a difference'),
]) + ([sqlmetrics.errors_step(q, estimate.name ~ '_errors', own, ['slice_id'])] if sqlmetrics.has_own_errors(q, estimate) else [])) -%}
{%- endfor -%}
{%- set body -%}
{%- for estimate in estimates -%}
{{ '\nunion all\n' if not loop.first -}}
{%- if estimate.values_step is defined -%}
{{ sqlmetrics.errors_of_contrasts_without_buckets(q, estimate) }}
{%- elif sqlmetrics.of_two_samples(q) -%}
{{ sqlmetrics.welch_variance(q, estimate.name ~ '_differences') }}
{%- else -%}
{{ sqlmetrics.paired_variance(q, estimate.name ~ '_differences', estimate.corrected) }}
{%- endif -%}
{%- endfor -%}
{%- endset -%}
{%- if not q.comparison.own_intervals -%}{{ return({'steps': sqlmetrics.shared_steps(steps), 'body': body}) }}{%- endif -%}
{%- set own_body -%}
{%- for estimate in estimates if sqlmetrics.has_own_errors(q, estimate) -%}
{{ '\nunion all\n' if not loop.first }}{{ sqlmetrics.one_per_metric(['slice_id'], estimate.name ~ '_errors', {
    'own_error': sqlmetrics.numbered_columns(estimate.metrics, 'standard_error'),
    'own_half_width': sqlmetrics.numbered_columns(estimate.metrics, 'half_width'),
}) }}
{%- else -%}
select
    slice_id,
    metric_id,
    {{ sqlmetrics.to_double('null') }} as own_error,
    {{ sqlmetrics.to_double('null') }} as own_half_width
from contrasts
where 1 = 0
{%- endfor -%}
{%- endset -%}
{%- set own_step = sqlmetrics.step('own_errors', own_body, 'standard error and half-width of each value') -%}
{{ return({'steps': sqlmetrics.shared_steps(steps + [own_step]), 'body': body}) }}
{%- endmacro -%}

{#- Unclustered rows have other names, and so other buckets, than in `evaluate`. -#}
{%- macro has_own_errors(q, estimate) -%}
{{ return(q.comparison.own_intervals and (estimate.values_step is not defined or q.interval_options.cluster is not none)) }}
{%- endmacro -%}

{#- Rows of a step for each contrast: side 1 is its slice, side 2 its baseline. -#}
{%- macro from_both_sides(step, alias) -%}
from contrasts
cross join {{ sqlmetrics.numbers(2, 'side', 'sides') }}
inner join {{ step }} as {{ alias }}
    on case side when 1 then contrasts.slice_id else contrasts.baseline_id end = {{ alias }}.slice_id
{%- endmacro -%}

{#- Divides relative differences. -#}
{%- macro per_baseline(q) -%}
{{ ' / nullif(abs(baseline_value), 0)' if q.comparison.relative }}
{%- endmacro -%}

{#- Filter for estimates of some metrics. -#}
{%- macro where_own_metrics(q, metrics) -%}
{%- if metrics | length < q.metrics | length %}
where contrasts.metric_id in ({% for m in metrics %}{{ m.number }}{{ ', ' if not loop.last }}{% endfor %})
{%- endif -%}
{%- endmacro -%}

{#- Influences of clusters per slice. Two samples may differ in their numbers of clusters C, so each has its own factor C / (C - 1). -#}
{%- macro influences_of_slices(q, estimate) -%}
{%- if not sqlmetrics.of_two_samples(q) or estimate.corrected -%}
{{ estimate.influences }}
{%- else -%}
select
    slice_id,
{%- if estimate.named %}
    cluster_name,
{%- endif %}
{%- for m in estimate.metrics %}
{%- set count = sqlmetrics.to_double('count(part_' ~ m.number ~ ') ' ~ sqlmetrics.over(['slice_id'])) %}
    influence_{{ m.number }} * sqrt(
        {{ count }}
        / nullif({{ count }} - 1, 0)
    ) as influence_{{ m.number }},
    part_{{ m.number }}{{ ',' if not loop.last }}
{%- endfor %}
from (
    {{ sqlmetrics.indented(estimate.influences) }}
) as influences
{%- endif -%}
{%- endmacro -%}

{#- Influence of a cluster on the difference, summed over both sides. A relative difference uses the derivative of the quotient.
    Unnamed clusters are on one side only. -#}
{%- macro differences_of_clusters(q, estimate) -%}
{%- set total, greatest = ['sum', 'max'] if estimate.named else ['', ''] -%}
{%- set influence = sqlmetrics.indented(sqlmetrics.by_metric(q, sqlmetrics.numbered_columns(estimate.metrics, 'influence'), 'contrasts.metric_id')) -%}
{%- set part = sqlmetrics.indented(sqlmetrics.by_metric(q, sqlmetrics.numbered_columns(estimate.metrics, 'part'), 'contrasts.metric_id')) -%}
{%- set sign = 'case side when 1 then 1 else -1 end' -%}
{%- if q.comparison.relative -%}
{%- set sign = 'case side when 1 then 1 else -value / nullif(baseline_value, 0) end / abs(nullif(baseline_value, 0))' -%}
{%- endif -%}
select
    contrasts.slice_id as slice_id,
    contrasts.metric_id as metric_id,
{%- if estimate.named %}
    cluster_name,
{%- endif %}
    {{ total }}({{ influence }} * {{ sign }}) as influence,
{%- if sqlmetrics.has_ideals(q) %}
    {{ total }}({{ influence }} * case side when 1 then sign(value - ideal) else -sign(baseline_value - ideal) end) as influence_on_distance,
{%- endif %}
{%- if sqlmetrics.of_two_samples(q) %}
    {{ total }}(case when {{ part }} is not null then side else 0 end) as sides,
{%- endif %}
    {{ greatest }}({{ part }}) as part
{{ sqlmetrics.from_both_sides(estimate.name ~ '_influences', 'influences') }}
{{- sqlmetrics.where_own_metrics(q, estimate.metrics) }}
{{- sqlmetrics.group_by(['contrasts.slice_id', 'contrasts.metric_id', 'cluster_name']) if estimate.named }}
{%- endmacro -%}

{#- Clusters on both sides: C / (C - 1) · Σ e², unless influences include the factor. -#}
{%- macro paired_variance(q, differences, corrected) -%}
{%- set clusters = sqlmetrics.to_double('count(part)') -%}
{%- set correction = '' if corrected else ' * count(part) / nullif(count(part) - 1, 0)' -%}
select
    slice_id,
    metric_id,
    {{ clusters }} as clusters,
    {{ sqlmetrics.to_double('null') if corrected else 'nullif(' ~ clusters ~ ' - 1, 0)' }} as degrees_of_freedom,
    case when max(part) = 1 then sqrt(sum(influence * influence){{ correction }}) end as standard_error
{%- if sqlmetrics.has_ideals(q) %},
    case
        when max(part) = 1
            then sqrt(sum(influence_on_distance * influence_on_distance){{ correction }})
    end as standard_error_of_distance
{%- endif %}
from {{ differences }}
group by slice_id, metric_id
{%- endmacro -%}

{#- Clusters on one side form a sample per side, clusters on both sides are pairs. Degrees of freedom follow Welch (1947) and
    Satterthwaite (1946): C - 1 for pairs alone, those of Welch's test for two samples. `least_standard_error` uses the smaller variance,
    because equal clusters do not show how their side varies. -#}
{%- macro welch_variance(q, differences) -%}
select
    slice_id,
    metric_id,
    clusters_1 + clusters_2 + clusters_3 as clusters,
    clusters_3 as shared_clusters,
    {{ sqlmetrics.square('(variance_1 + variance_2 + variance_3)') }} / nullif(
{%- for side in [1, 2, 3] %}
        {{ '+ ' if not loop.first }}variance_{{ side }} * variance_{{ side }} / greatest(clusters_{{ side }} - 1, 1)
{%- endfor %}
    , 0) as degrees_of_freedom,
    case
        when clusters_1 + clusters_3 > 1 and clusters_2 + clusters_3 > 1 and part = 1 then sqrt(variance_1 + variance_2 + variance_3)
    end as standard_error,
    sqrt(least(variance_1, variance_2) + variance_3) as least_standard_error
{%- if sqlmetrics.has_ideals(q) %},
    case
        when clusters_1 + clusters_3 > 1 and clusters_2 + clusters_3 > 1 and part = 1 then sqrt(variance_of_distance)
    end as standard_error_of_distance
{%- endif %}
from (
    select
        slice_id,
        metric_id,
{%- for side in [1, 2, 3] %}
        {{ sqlmetrics.to_double('count(case when sides = ' ~ side ~ ' then 1 end)') }} as clusters_{{ side }},
        sum(case when sides = {{ side }} then influence * influence else 0 end) as variance_{{ side }},
{%- endfor %}
{%- if sqlmetrics.has_ideals(q) %}
        sum(case when sides > 0 then influence_on_distance * influence_on_distance else 0 end) as variance_of_distance,
{%- endif %}
        max(part) as part
    from {{ differences }}
    group by slice_id, metric_id
) as variances
{%- endmacro -%}

{#- Differences in the last digits are rounding errors, as of one model added up in another order. -#}
{%- macro values_are_equal() -%}
abs(value - baseline_value) <= 1e-12 * greatest(abs(value), abs(baseline_value))
{%- endmacro -%}

{#- If every cluster has the same difference, the row is `degenerate` and has no error. Models that are equal in each cluster of the
    same rows have the exact difference 0; two samples do not. -#}
{%- macro differences(q) -%}
{%- set two_samples = sqlmetrics.of_two_samples(q) -%}
{%- set further = (['shared_clusters'] if two_samples else []) + (['low', 'high'] if q.interval_options.replicates is not none else []) -%}
{#- A model without a value has no difference, and therefore no error. -#}
{%- set known = 'degenerate = 0 and difference is not null' -%}
{%- set distance = 'case when (value - ideal) * (baseline_value - ideal) < 0 then abs(value - ideal) - abs(baseline_value - ideal) end' -%}
select
    errors_of_differences.*,
    case when {{ known }} then error_of_contrast end as standard_error,
    -- times the quantile of Student t, from that of the normal distribution (Wallace, 1959)
    case when {{ known }} then error_of_contrast * {{ sqlmetrics.indented(sqlmetrics.student_quantile(q.interval_options.normal, 'degrees_of_freedom', q.interval_options.cluster is none)) }} end as half_width,
    {{ sqlmetrics.normal_deviation(q, 't') }} as z
{%- if sqlmetrics.has_ideals(q) %},
    {{ sqlmetrics.normal_deviation(q, 't_of_distance') }} as z_of_distance
{%- endif %}
from (
    select
        contrasts.*,
        (value - baseline_value){{ sqlmetrics.per_baseline(q) }} as difference,
        standard_error as error_of_contrast,
        degrees_of_freedom,
        clusters,
        {{- sqlmetrics.leading(further, depth=2) }}
        abs(value - baseline_value){{ sqlmetrics.per_baseline(q) }} / nullif(standard_error, 0) as t,
{%- if sqlmetrics.has_ideals(q) %}
        {{ distance }} as distance,
        abs({{ distance }})
            / nullif(standard_error_of_distance, 0) as t_of_distance,
{%- endif %}
        case
            -- 0: equal values, 1: equal clusters, both up to rounding
            when {{ sqlmetrics.values_are_equal() }}{{ ' and clusters = shared_clusters' if two_samples }} then 0
            when {{ 'least_standard_error' if two_samples else 'standard_error' }} <= 1e-10 * greatest(abs(value), abs(baseline_value)){{ sqlmetrics.per_baseline(q) }} then 1
            else 0
        end as degenerate
    from contrasts
    left join contrast_errors
        on contrasts.slice_id = contrast_errors.slice_id
        and contrasts.metric_id = contrast_errors.metric_id
) as errors_of_differences
{%- endmacro -%}

{#- No p-value without an error, or for slices below `min_rows`. If every cluster has the same difference, the error of 0 proves
    nothing. All signs agree by chance in one of 2^(C - 1) cases, the p-value of a sign-flip test. Two samples have no signs to flip. -#}
{%- macro p_values(q) -%}
{%- set least = q.comparison.min_rows -%}
select
    differences.*,
    case
        when difference is null{{ ' or n < ' ~ least if least is not none }} then null
        when degenerate = 1 then {{ 'null' if sqlmetrics.of_two_samples(q) and q.comparison.test == 't' else 'exp(ln(2) * (1 - clusters))' }}
        when standard_error is null then null
        when {{ sqlmetrics.values_are_equal() }} then 1
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.complementary_error('z'))) }}
    end as p_value
{%- if sqlmetrics.has_ideals(q) %},
    case
        when distance = 0 then 1
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.complementary_error('z_of_distance'))) }}
    end as p_of_distance
{%- endif %}
from differences
{%- endmacro -%}

{#- Input of complementary_error. -#}
{%- macro normal_deviation(q, t) -%}
{{ sqlmetrics.indented(sqlmetrics.student_deviation(t, 'degrees_of_freedom', q.interval_options.cluster is none)) }} / sqrt({{ sqlmetrics.to_double('2') }})
{%- endmacro -%}

{#- Positive if a value is worse than the other. -#}
{%- macro shortfall(direction, value, other) -%}
{%- if direction == 'higher' -%}
{{ other }} - {{ value }}
{%- elif direction == 'lower' -%}
{{ value }} - {{ other }}
{%- else -%}
{%- set ideal = {'near 0': 0, 'near 1': 1}[direction] -%}
abs({{ value }} - {{ ideal }}) - abs({{ other }} - {{ ideal }})
{%- endif -%}
{%- endmacro -%}

{#- Columns of a step, rounded to `digits` if given. -#}
{%- macro rounded_columns(step, names, digits) -%}
{{ return(sqlmetrics.for_each(names, sqlmetrics.rounded(step ~ '.{0}', digits) ~ (' as {0}' if digits is not none))) }}
{%- endmacro -%}
