{#- Arguments of comparisons: `against`, `baseline`, `relative`, `test`, `adjust` and `power`. -#}

{#- Models by `model_id`: several scores, or two relations, named 'data' and 'against' unless the score has the form `name = expression`
    and `baseline` is a name. -#}
{%- macro models_compared(macro, call, scores) -%}
{%- set is_single = call.comparison is none or call.comparison.against is none -%}
{%- if is_single -%}{{ return(scores if scores | length > 1 else []) }}{%- endif -%}
{%- set score = (sqlmetrics.as_list(call.roles.get('score')) or [none])[0] -%}
{%- set entry = sqlmetrics.named_value(macro, 'score', score) if score is string and not score.lstrip().startswith('=') else {} -%}
{%- set name = entry.name if 'sql' in entry else 'data' -%}
{%- set baseline = 'against' if call.comparison.baseline is none else call.comparison.baseline -%}
{%- do sqlmetrics.check_rules(macro, [
    [scores | length > 1, 'against compares two relations by one score; pass a single ⟨score⟩, or remove ⟨against⟩'],
    [baseline is not string or not baseline | string | trim, "baseline must be the name of ⟨against⟩ in the result, as in ⟨baseline⟩='yesterday', not " ~ sqlmetrics.shown(baseline)],
    [name == baseline, "the data and ⟨against⟩ are both called '" ~ name ~ "'; name them as in ⟨score⟩='today = pctr', ⟨baseline⟩='yesterday'"],
]) -%}
{{ return([{'name': name}, {'name': baseline}]) }}
{%- endmacro -%}

{#- None without a comparison, else its options. `own_intervals` adds the intervals of both values to that of the difference, so that
    one statement serves a page. -#}
{%- macro comparison_of(macro, call, requested, models, slicing) -%}
{%- set options = call.comparison -%}
{%- if options is none -%}{{ return(none) }}{%- endif -%}
{%- set names = sqlmetrics.names_of(models) -%}
{%- do sqlmetrics.check_rules(macro, [
    [requested | rejectattr('metric.has_single_value') | map(attribute='name') | list, '{0} has no single value to compare'],
    [models | length < 2, "a comparison needs at least two scores, as in ⟨score⟩=['old', 'new'], or ⟨against⟩, the relation to compare with"],
    [options.baseline is not none and options.baseline not in names, 'baseline must be one of the scores (' ~ names | join(', ') ~ '), not ' ~ sqlmetrics.shown(options.baseline)],
    [options.test != 't' and not options.get('tests_in_python'), "⟨test⟩='" ~ options.test ~ "' requires SciPy: call sqlmetrics.compare in Python, or `sqlmetrics compare` on the shell; rendered SQL and dbt support ⟨test⟩='t'"],
]) -%}
{%- set baseline = names[0 if options.against is none else 1] if options.baseline is none else options.baseline -%}
{%- for metric_call in requested -%}
{%- do sqlmetrics.check_rules(macro, [
    [options.test != 't' and metric_call.metric.ideal is not none, 'test: ' ~ metric_call.name ~ ' is best near ' ~ metric_call.metric.ideal ~ ', and ' ~ options.test ~ ' supports metrics with a higher or lower direction only; remove ⟨test⟩'],
    [metric_call.metric.no_interval, metric_call.name ~ ' has no interval: ' ~ metric_call.metric.no_interval ~ '; remove it'],
]) -%}
{%- endfor -%}
{%- do sqlmetrics.check_slice_names(macro, slicing.entries, [
    'grouping', 'metric', 'model', 'baseline', 'value', 'baseline_value', 'difference', 'difference_low', 'difference_high', 'standard_error', 'p_value',
    'p_adjusted', 'detectable_difference', 'n', 'clusters', 'verdict',
] + ([] if options.against is none else ['shared_clusters']), 'a column of every comparison') -%}
{{ return({
    'gaps': false,
    'min_rows': options.get('min_rows'),
    'baseline': sqlmetrics.position_of(baseline, names),
    'relative': options.relative,
    'test': options.test,
    'cluster_differences': false,
    'adjust': options.adjust,
    'own_intervals': options.get('own_intervals', false),
    'level': '1 - ' ~ sqlmetrics.number(call.confidence),
    'power': sqlmetrics.normal_quantile(options.power),
}) }}
{%- endmacro -%}

{#- Rejects a slice with the name of a result column, in lower case. -#}
{%- macro check_slice_names(macro, entries, columns, what='a column of every result') -%}
{%- for entry in entries if entry.name | lower in columns -%}
{%- do sqlmetrics.raise_error(macro, "by: the slice '" ~ entry.name ~ "' has the name of " ~ what ~ '; name it as in ⟨by⟩="my_' ~ entry.name | lower ~ ' = ' ~ entry.name ~ '"') -%}
{%- endfor -%}
{%- endmacro -%}

{#- Without a cluster, comparisons of metrics over rows need a `row_id`: it pairs each row across the models. -#}
{%- macro rows_are_numbered(requested, comparison, interval_options) -%}
{%- if comparison is not none and not comparison.gaps and interval_options.cluster is none -%}
{%- for name in sqlmetrics.flat(requested | map(attribute='metric.frames')) if sqlmetrics.known_frames()[name].unit != 'group' -%}{{ return(true) }}{%- endfor -%}
{%- endif -%}
{{ return(false) }}
{%- endmacro -%}
