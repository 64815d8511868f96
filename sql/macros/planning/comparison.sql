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
{%- set given = call.comparison -%}
{%- if given is none -%}
{{ return(none) }}
{%- endif -%}
{%- set names = sqlmetrics.names_of(models) -%}
{%- set unknown = given.baseline is not none and given.baseline not in names -%}
{%- do sqlmetrics.check_rules(macro, [
    [models | length < 2, "a comparison needs at least two scores, as in ⟨score⟩=['old', 'new'], or ⟨against⟩, the relation to compare with"],
    [unknown, 'baseline must be one of the scores (' ~ names | join(', ') ~ '), not ' ~ sqlmetrics.shown(given.baseline)],
]) -%}
{%- set baseline = names[0 if given.against is none else 1] if given.baseline is none else given.baseline -%}
{%- for argument in ['adjust', 'power', 'relative', 'test'] -%}{%- do sqlmetrics.argument(macro, argument, given[argument]) -%}{%- endfor -%}
{%- if given.test != 't' and not given.get('tests_in_python') -%}
{%- do sqlmetrics.raise_error(macro, "⟨test⟩='" ~ given.test ~ "' requires SciPy: call sqlmetrics.compare in Python, or `sqlmetrics compare` on the shell; rendered SQL and dbt support ⟨test⟩='t'") -%}
{%- endif -%}
{%- for one in requested -%}
{%- do sqlmetrics.check_rules(macro, [
    [given.test != 't' and one.metric.ideal is not none, 'test: ' ~ one.name ~ ' is best near ' ~ one.metric.ideal ~ ', and ' ~ given.test ~ ' supports metrics with a higher or lower direction only; remove ⟨test⟩'],
    [one.metric.no_interval, one.name ~ ' has no interval: ' ~ one.metric.no_interval ~ '; remove it'],
]) -%}
{%- endfor -%}
{%- do sqlmetrics.check_single_values(macro, requested) -%}
{%- set own = [
    'grouping', 'metric', 'model', 'baseline', 'value', 'baseline_value', 'difference', 'difference_low', 'difference_high', 'standard_error', 'p_value',
    'p_adjusted', 'detectable_difference', 'n', 'clusters', 'verdict',
] + ([] if given.against is none else ['shared_clusters']) -%}
{%- for name in sqlmetrics.names_of(slicing.entries) if name | lower in own -%}
{%- do sqlmetrics.raise_error(macro, "by: the slice '" ~ name ~ "' has the name of a column of every comparison; name it as in ⟨by⟩=\"my_" ~ name | lower ~ ' = ' ~ name ~ '"') -%}
{%- endfor -%}
{{ return({
    'gaps': false,
    'min_rows': given.get('min_rows'),
    'baseline': sqlmetrics.position_of(baseline, names),
    'relative': given.relative,
    'test': given.test,
    'cluster_differences': false,
    'adjust': given.adjust,
    'own_intervals': given.get('own_intervals', false),
    'level': '1 - ' ~ sqlmetrics.number(call.confidence),
    'power': sqlmetrics.normal_quantile(given.power),
}) }}
{%- endmacro -%}

{%- macro check_single_values(macro, requested) -%}
{%- for one in requested if one.metric.table or one.metric.name not in one['columns'] -%}
{%- do sqlmetrics.raise_error(macro, one.name ~ ' has no single value to compare') -%}
{%- endfor -%}
{%- endmacro -%}

{#- Without a cluster, comparisons of metrics over rows need a `row_id`: it pairs each row across the models. -#}
{%- macro rows_are_numbered(requested, comparison, interval_options) -%}
{%- if comparison is not none and not comparison.gaps and interval_options.cluster is none -%}
{%- for name in sqlmetrics.flat(requested | map(attribute='metric.frames')) if sqlmetrics.known_frames()[name].unit != 'group' -%}{{ return(true) }}{%- endfor -%}
{%- endif -%}
{{ return(false) }}
{%- endmacro -%}
