{#- Intervals of the values of a call: a standard error per metric, and the ends of an interval next to each value. -#}

{#- Standard errors of all metrics: their steps, the steps that are joined to slices, and the columns of each metric. -#}
{%- macro errors_of(q, frames, slicing) -%}
{%- if q.interval_options is none -%}
{{ return({'steps': [], 'joined': [], 'errors': {}}) }}
{%- elif q.interval_options.replicates is not none -%}
{{ return(sqlmetrics.errors_by_bootstrap(q, frames, slicing)) }}
{%- endif -%}
{%- set steps = [] -%}
{%- set joined = [] -%}
{%- set errors = {} -%}
{%- for estimate in sqlmetrics.estimates_of_frames(q, frames, slicing) -%}
{%- set step = estimate.name ~ '_errors' -%}
{%- do steps.extend(estimate.steps + [sqlmetrics.errors_step(q, step, estimate, slicing['keys'])]) -%}
{%- do joined.extend([step] + estimate.joined) -%}
{%- for m in estimate.metrics -%}
{%- do errors.update({m.as: {
    'se': step ~ '.standard_error_' ~ m.number,
    'half_width': step ~ '.half_width_' ~ m.number,
    'clusters': estimate.clusters if estimate.clusters is defined else step ~ '.clusters_' ~ m.number,
    'min_nonzero_clusters': estimate.min_nonzero_clusters | replace('{0}', m.number) if estimate.min_nonzero_clusters is defined else none,
    'tail': q.interval_options.tail,
}}) -%}
{%- endfor -%}
{%- endfor -%}
{#- Frames share their buckets or, if their filters differ, the names of their rows. -#}
{{ return({'steps': sqlmetrics.shared_steps(steps), 'joined': sqlmetrics.distinct(joined), 'errors': errors}) }}
{%- endmacro -%}

{%- macro errors_step(q, name, estimate, keys) -%}
{%- if estimate.values_step is defined -%}
{%- set body = sqlmetrics.with_half_width(q, keys, estimate.metrics, sqlmetrics.errors_of_values(estimate, keys), []) -%}
{{ return(sqlmetrics.step(name, body, 'standard errors from the values without each bucket')) }}
{%- endif -%}
{%- set body = sqlmetrics.with_half_width(q, keys, estimate.metrics, sqlmetrics.cluster_variance(q, estimate, keys), (['clusters'] if q.diagnostics else []) + (['min_nonzero_clusters'] if estimate.get('pairs') else [])) -%}
{{ return(sqlmetrics.step(name, body, 'one per slice: standard errors from the influences of clusters')) }}
{%- endmacro -%}

{#- The variance is C / (C - 1) · Σ e², unless influences are already corrected, as for two samples. If a value is undefined without
    one cluster (its part is 2), the effect of another cluster in its place is unknown. -#}
{%- macro cluster_variance(q, estimate, keys) -%}
{%- set of_area = estimate.get('pairs') is not none -%}
{%- set keys = sqlmetrics.keys_alone('pairs', keys) if of_area else keys -%}
select
    {{- sqlmetrics.leading(keys) }}
{%- for m in estimate.metrics %}
{%- set part, influence = ['part_' ~ m.number, 'influence_' ~ m.number ~ ' * influence_' ~ m.number] %}
{%- if of_area %}
{%- set part, influence = [estimate.part, 'power(' ~ estimate.influence_of[m.number] ~ ', 2)'] %}
    {{ sqlmetrics.to_double('least(count(nullif(share_of_positives, 0)), count(nullif(share_of_negatives, 0)))') }} as min_nonzero_clusters_{{ m.number }},
{%- endif %}
{%- set count = 'count(' ~ part ~ ')' %}
{%- set correction = '' if estimate.corrected else ('\n        ' if of_area else ' ') ~ '* ' ~ count ~ ('\n        ' if count | length > 40 else ' ') ~ '/ nullif(' ~ count ~ ' - 1, 0)' %}
{%- set error = 'sqrt(sum(' ~ influence ~ ')' ~ correction ~ ')' %}
{%- if q.diagnostics %}
    cast({{ count }} as bigint) as clusters_{{ m.number }},
{%- endif %}
    {{ sqlmetrics.to_double('null') if estimate.corrected else 'nullif(' ~ sqlmetrics.to_double(count) ~ ' - 1, 0)' }} as degrees_of_freedom_{{ m.number }},
    {{ error if of_area else 'case when max(' ~ part ~ ') = 1 then ' ~ error ~ ' end' }} as standard_error_{{ m.number }}{{ ',' if not loop.last }}
{%- endfor %}
from {{ estimate.pairs if of_area else '(\n    ' ~ sqlmetrics.indented(estimate.influences) ~ '\n) as influences' }}
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}

{#- Adds the half-width: the standard error times the quantile of Student's t, as clusters may be few. `known` are columns of each
    metric to pass on. -#}
{%- macro with_half_width(q, keys, metrics, errors, known) -%}
select
    {{- sqlmetrics.leading(keys) }}
{%- for m in metrics %}
{%- for name in known %}
    {{ name }}_{{ m.number }},
{%- endfor %}
    {{ 'case when min_nonzero_clusters_' ~ m.number ~ ' > 1 then standard_error_' ~ m.number ~ ' end as ' if 'min_nonzero_clusters' in known }}standard_error_{{ m.number }},
{%- if loop.first %}
    -- times the quantile of Student t, from that of the normal distribution (Wallace, 1959)
{%- endif %}
    standard_error_{{ m.number }} * {{ sqlmetrics.indented(sqlmetrics.student_quantile(q.interval_options.normal, 'degrees_of_freedom_' ~ m.number, q.interval_options.cluster is none)) }} as half_width_{{ m.number }}{{ ',' if not loop.last }}
{%- endfor %}
from (
    {{ sqlmetrics.indented(errors) }}
) as standard_errors
{%- endmacro -%}

{#- An end of an interval, within the range of the metric. `error` has the SQL of se and half_width, or of the ends low and high.
    Equal clusters do not show their variance. At an end of the range they bound the share of other clusters. C equal clusters allow
    at most a share of 1 - tail^(1 / C) of others (Clopper and Pearson, 1934), no farther away than the other end. If a metric has
    several sums, C is the smallest number of clusters behind a sum, min_nonzero_clusters. `known` is the condition for a value that
    is exact without clusters. -#}
{%- macro end_of_interval(m, end, value, error, known=none) -%}
{%- set lower, upper = m.range -%}
{%- set own, other = m.range if end == 'low' else [upper, lower] -%}
{%- set sign = '-' if end == 'low' else '+' -%}
{%- if error.low is defined -%}
{%- set reached = sqlmetrics.end_that_holds(value, error[end], end) -%}
{%- else -%}
{%- set before = '\n            ' if (value ~ error.half_width) | length > 100 else '' -%}
{%- set reached = value ~ ' ' ~ sign ~ ' ' ~ error.half_width -%}
{%- set reached = reached if own is none else sqlmetrics.extreme_of('greatest' if end == 'low' else 'least', [reached, own], before) -%}
{%- endif -%}
case
{%- if end == 'low' %}
    -- smaller errors and distances than 1e-10 are rounding
{%- endif %}
{%- if known is not none %}
    when {{ known }} then {{ value }}
{%- endif %}
    {{ sqlmetrics.when(error.se ~ ' > 1e-10 * abs(' ~ value ~ ')', reached) }}
{%- if error.get('min_nonzero_clusters') and error.tail and lower is not none and upper is not none %}
{%- set width = upper - lower %}
{%- set near = ') <= 1e-10' ~ (' * ' ~ width if width != 1 else '') %}
    when {{ error.se }} is null or {{ error.min_nonzero_clusters }} <= 1 then null
    when abs({{ value ~ sqlmetrics.less(own) ~ near }} then {{ own }}
{%- set share = 'exp(ln(' ~ sqlmetrics.number(error.tail) ~ ') / ' ~ error.min_nonzero_clusters ~ ')' %}
    when abs({{ value ~ sqlmetrics.less(other) ~ near }}
        then {{ (share if end == 'low' else '1 - ' ~ share) if width == 1 and lower == 0 else other ~ ' ' ~ sign ~ ' ' ~ width ~ ' * (1 - ' ~ share ~ ')' }}
{%- endif %}
end
{%- endmacro -%}

{%- macro less(number) -%}
{{ '' if number == 0 else ' - ' ~ number if number > 0 else ' + ' ~ -number }}
{%- endmacro -%}

{#- Bootstrap percentiles may all be on one side of a biased value. The interval must include it. -#}
{%- macro end_that_holds(value, reached, end) -%}
case
            when {{ reached }} is not null
                then {{ {'low': 'least', 'high': 'greatest'}[end] }}({{ reached }}, {{ value }})
        end
{%- endmacro -%}

{#- The interval columns next to a value. -#}
{%- macro interval_items(m, value, error, digits=none, known=none) -%}
{%- set seen -%}
case
{%- if known is not none %}
        when {{ known }} then 0 * {{ value }}
{%- endif %}
        {{ sqlmetrics.indented(sqlmetrics.when(error.se ~ ' > 1e-10 * abs(' ~ value ~ ')', error.se)) }}
    end
{%- endset -%}
{{ return([
    sqlmetrics.end_item(m, 'low', value, error, digits, known),
    sqlmetrics.end_item(m, 'high', value, error, digits, known),
] + ([sqlmetrics.rounded(seen, digits) ~ ' as ' ~ sqlmetrics.identifier(m.interval.se)] if m.interval.se is defined else [])
  + (['coalesce(' ~ error.clusters ~ ', 0) as ' ~ sqlmetrics.identifier(m.interval.clusters)] if m.interval.clusters is defined else [])) }}
{%- endmacro -%}

{%- macro end_item(m, end, value, error, digits, known) -%}
{{ sqlmetrics.rounded(sqlmetrics.indented(sqlmetrics.end_of_interval(m, end, value, error, known)), digits) }} as {{ sqlmetrics.identifier(m.interval[end]) }}
{%- endmacro -%}
