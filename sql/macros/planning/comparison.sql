{#- Arguments of comparisons: `against`, `baseline`, `relative`, `test`, `adjust` and `power`. -#}

{#- Models by `model_id`: several scores, or two relations, named 'data' and 'against' unless the score has the form `name = expression`
    and `baseline` is a name. -#}
{%- macro models_compared(macro, call, scores) -%}
{%- if call.comparison is none or call.comparison.against is none -%}
{{ return(scores if scores | length > 1 else []) }}
{%- endif -%}
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
{%- if options is none -%}
{{ return(none) }}
{%- endif -%}
{%- set names = sqlmetrics.names_of(models) -%}
{%- set unknown = options.baseline is not none and options.baseline not in names -%}
{%- do sqlmetrics.check_rules(macro, [
    [models | length < 2, "a comparison needs at least two scores, as in ⟨score⟩=['old', 'new'], or ⟨against⟩, the relation to compare with"],
    [unknown, 'baseline must be one of the scores (' ~ names | join(', ') ~ '), not ' ~ sqlmetrics.shown(options.baseline)],
]) -%}
{%- set baseline = names[0 if options.against is none else 1] if options.baseline is none else options.baseline -%}
{%- for argument in ['adjust', 'power', 'relative', 'test'] -%}{%- do sqlmetrics.argument(macro, argument, options[argument]) -%}{%- endfor -%}
{%- if options.test != 't' and not options.get('tests_in_python') -%}
{%- do sqlmetrics.raise_error(macro, "⟨test⟩='" ~ options.test ~ "' requires SciPy: call sqlmetrics.compare in Python, or `sqlmetrics compare` on the shell; rendered SQL and dbt support ⟨test⟩='t'") -%}
{%- endif -%}
{%- for metric_call in requested -%}
{%- do sqlmetrics.check_rules(macro, [
    [options.test != 't' and metric_call.metric.ideal is not none, 'test: ' ~ metric_call.name ~ ' is best near ' ~ metric_call.metric.ideal ~ ', and ' ~ options.test ~ ' supports metrics with a higher or lower direction only; remove ⟨test⟩'],
    [metric_call.metric.no_interval, metric_call.name ~ ' has no interval: ' ~ metric_call.metric.no_interval ~ '; remove it'],
]) -%}
{%- endfor -%}
{%- do sqlmetrics.check_single_values(macro, requested) -%}
{%- set own = [
    'grouping', 'metric', 'model', 'baseline', 'value', 'baseline_value', 'difference', 'difference_low', 'difference_high', 'standard_error', 'p_value',
    'p_adjusted', 'detectable_difference', 'n', 'clusters', 'verdict',
] + ([] if options.against is none else ['shared_clusters']) -%}
{%- for name in sqlmetrics.names_of(slicing.entries) if name | lower in own -%}
{%- do sqlmetrics.raise_error(macro, "by: the slice '" ~ name ~ "' has the name of a column of every comparison; name it as in ⟨by⟩=\"my_" ~ name | lower ~ ' = ' ~ name ~ '"') -%}
{%- endfor -%}
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

{%- macro check_single_values(macro, requested) -%}
{%- for metric_call in requested if metric_call.metric.table or metric_call.metric.name not in metric_call['columns'] -%}
{%- do sqlmetrics.raise_error(macro, metric_call.name ~ ' has no single value to compare') -%}
{%- endfor -%}
{%- endmacro -%}

{#- Without a cluster, comparisons of metrics over rows need a `row_id`: it pairs each row across the models. -#}
{%- macro rows_are_numbered(requested, comparison, interval_options) -%}
{%- if comparison is not none and not comparison.gaps and interval_options.cluster is none -%}
{%- for name in sqlmetrics.flat(requested | map(attribute='metric.frames')) if sqlmetrics.known_frames()[name].unit != 'group' -%}{{ return(true) }}{%- endfor -%}
{%- endif -%}
{{ return(false) }}
{%- endmacro -%}
