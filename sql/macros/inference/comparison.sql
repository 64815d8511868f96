{#- Compares models on one or two relations: one row per slice, metric and model, with the difference from the baseline and its
    interval. -#}
{%- macro ending_of_comparison(q, frames, slicing) -%}
{%- set steps = sqlmetrics.contrast_steps(q, frames, slicing, sqlmetrics.contrasts_of_models(q, slicing)) -%}
{%- set adjusted = sqlmetrics.step('adjusted_p_values', sqlmetrics.adjusted_p_values(q), 'p-values adjusted for the number of tests') -%}
{{ return({'steps': steps + [adjusted], 'select': sqlmetrics.comparison_select(q, slicing)}) }}
{%- endmacro -%}

{#- Joins each slice of a model to that of the baseline. -#}
{%- macro contrasts_of_models(q, slicing) -%}
{%- set ideals = {} -%}
{%- for m in q.metrics -%}{%- if m.best_value is not none -%}{%- do ideals.update({loop.index: m.best_value}) -%}{%- endif -%}{%- endfor -%}
select
    models.*,
    baseline.slice_id as baseline_id,
    baseline.value as baseline_value
{%- if ideals %},
    {{ sqlmetrics.indented(sqlmetrics.by_metric(q, ideals, 'models.metric_id')) }} as ideal
{%- endif %}
from estimates as models
inner join estimates as baseline on models.metric_id = baseline.metric_id
{%- for name in slicing.names if name != 'model_id' %}
    and {{ sqlmetrics.same_value('models.' ~ name, 'baseline.' ~ name) }}
{%- endfor %}
where models.model_id <> {{ q.comparison.baseline }}
    and baseline.model_id = {{ q.comparison.baseline }}
{%- endmacro -%}

{#- Whether there may be several tests, which require adjusted p-values. -#}
{%- macro has_several_tests(q) -%}
{{ return(q.comparison.adjust is not none and (q.metrics | length > 1 or q.models | length > 2 or q.by | length > 0)) }}
{%- endmacro -%}

{#- Holm (1979): the k-th of m p-values times m - k + 1, as a cumulative maximum. Benjamini and Hochberg (1995): times m / k, as a
    cumulative minimum from the last. -#}
{%- macro adjusted_p_values(q) -%}
{%- set order = ['case when p_value is null then 1 else 0 end asc', 'p_value asc', 'slice_id asc', 'metric_id asc'] -%}
select
    ranked_tests.*,
    case
{%- if q.comparison.adjust == 'holm' %}
        when p_value is not null then least(max((tests - p_rank + 1) * p_value) {{ sqlmetrics.over([], 'p_rank asc rows unbounded preceding') }}, 1)
{%- else %}
        when p_value is not null then least(min(tests / p_rank * p_value) {{ sqlmetrics.over([], 'p_rank desc rows unbounded preceding') }}, 1)
{%- endif %}
    end as p_adjusted
from (
    select
        p_values.*,
        {{ sqlmetrics.to_double('count(p_value) ' ~ sqlmetrics.over([])) }} as tests,
        {{ sqlmetrics.to_double('row_number() ' ~ sqlmetrics.indented(sqlmetrics.over([], order | join(',\n            ')))) }} as p_rank
    from p_values
) as ranked_tests
{%- endmacro -%}

{#- The detectable difference is the half-width plus the standard error times Student's t at the given power (Bloom, Minimum
    detectable effects, 1995). -#}
{%- macro comparison_select(q, slicing) -%}
{%- set several = sqlmetrics.has_several_tests(q) -%}
{%- set tests = 'adjusted_p_values' if several else 'p_values' -%}
{%- set metric_id = tests ~ '.metric_id' -%}
{%- set names = {} -%}
{%- set shortfalls = {} -%}
{%- set not_closer = {} -%}
{%- for m in q.metrics -%}
{%- do names.update({loop.index: sqlmetrics.text_literal(m.as)}) -%}
{%- if m.direction is not none -%}{%- do shortfalls.update({loop.index: sqlmetrics.shortfall(m.direction, 'value', 'baseline_value')}) -%}{%- endif -%}
{%- if m.best_value is not none -%}{%- do not_closer.update({loop.index: sqlmetrics.text_literal('differs, not closer to ' ~ m.best_value)}) -%}{%- endif -%}
{%- endfor -%}
{%- set shortfall = sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.by_metric(q, shortfalls, metric_id))) -%}
{%- set slices = sqlmetrics.slice_items(q, tests) -%}
{%- set detectable = 'half_width + standard_error * ' ~ sqlmetrics.indented(sqlmetrics.student_quantile(q.comparison.power, 'degrees_of_freedom', q.interval_options.cluster is none)) -%}
{%- set numbers = {
    'value': 'value', 'baseline_value': 'baseline_value', 'difference': 'difference',
    'difference_low': sqlmetrics.end_of_difference(q, 'low'), 'difference_high': sqlmetrics.end_of_difference(q, 'high'),
    'standard_error': 'standard_error', 'p_value': 'p_value', 'p_adjusted': 'p_adjusted' if several else 'p_value', 'detectable_difference': detectable,
} -%}
select
    {{ sqlmetrics.select_list(slices[:-1]) }}{{ ',\n    ' if slices | length > 1 }}
    {{- sqlmetrics.indented(sqlmetrics.by_metric(q, names, metric_id)) }} as metric,
    {{ slices[-1] }},
    {{ sqlmetrics.text_literal(q.models[q.comparison.baseline - 1].name) }} as baseline,
{%- for name, value in numbers.items() %}
    {{ sqlmetrics.rounded(value, q.round) ~ (' as ' ~ name if value != name or q.round is not none) }},
{%- endfor %}
    n,
    cast(coalesce(clusters, 0) as bigint) as clusters,
{%- if q.against is not none %}
    cast(coalesce(shared_clusters, 0) as bigint) as shared_clusters,
{%- endif %}
{%- if q.comparison.own_intervals %}
    {{ sqlmetrics.ends_of_values(q, metric_id) }},
{%- endif %}
    case
        when p_value is null then null
        when {{ 'p_adjusted' if several else 'p_value' }} >= {{ q.comparison.level }} then 'no difference seen'
{%- if not_closer %}
        when distance is not null
            and coalesce(least(p_of_distance{{ ' * tests' if several }}, 1) >= {{ q.comparison.level }}, true)
            then {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.by_metric(q, not_closer, metric_id)))) }}
{%- endif %}
        when {{ shortfall }} < 0 then 'better'
        when {{ shortfall }} > 0 then 'worse'
        else 'different'
    end as verdict
{%- if q.comparison.test != 't' %},
    {{ tests }}.slice_id as sqlmetrics_slice_id,
    {{ tests }}.metric_id as sqlmetrics_metric_id
{%- endif %}
from {{ tests }}
{%- if q.comparison.own_intervals %}
left join own_errors
    on {{ tests }}.slice_id = own_errors.slice_id
    and {{ tests }}.metric_id = own_errors.metric_id
left join own_errors as own_errors_of_baseline
    on {{ tests }}.baseline_id = own_errors_of_baseline.slice_id
    and {{ tests }}.metric_id = own_errors_of_baseline.metric_id
{%- endif %}
{%- set order = sqlmetrics.for_each(slicing.names | reject('equalto', 'model_id'), '{0} asc nulls last') + ['metric_id asc', 'model_id asc'] %}
{{- sqlmetrics.by_keys('order by', sqlmetrics.for_each(order, tests ~ '.{0}')) }}
{%- endmacro -%}

{#- From standard errors, or bootstrap quantiles. -#}
{%- macro end_of_difference(q, end) -%}
{%- if q.interval_options.replicates is none -%}
difference {{ '-' if end == 'low' else '+' }} half_width
{%- else -%}
case when standard_error is not null then {{ sqlmetrics.end_that_holds('difference', end, end) }} end
{%- endif -%}
{%- endmacro -%}

{#- Intervals of the values, the same as of `evaluate`. -#}
{%- macro ends_of_values(q, metric_id) -%}
{%- for value, errors in {'value': 'own_errors', 'baseline_value': 'own_errors_of_baseline'}.items() -%}
{{ ',\n    ' if not loop.first }}
{%- for end in ['low', 'high'] -%}
{%- set cases = {} -%}
{%- for m in q.metrics -%}
{%- do cases.update({loop.index: sqlmetrics.indented(sqlmetrics.end_of_interval(m, end, value, {'se': errors ~ '.own_error', 'half_width': errors ~ '.own_half_width', 'tail': none}))}) -%}
{%- endfor -%}
{{ sqlmetrics.rounded(sqlmetrics.indented(sqlmetrics.by_metric(q, cases, metric_id)), q.round) }} as {{ value }}_{{ end ~ (',\n    ' if not loop.last) }}
{%- endfor -%}
{%- endfor -%}
{%- endmacro -%}
