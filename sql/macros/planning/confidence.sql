{#- Arguments of intervals: `confidence`, `cluster`, `method` and so on. -#}

{#- None without `confidence` and without a comparison, else the options of the intervals: also the replicates and the seed of the
    bootstrap or randomization test. -#}
{%- macro interval_options_of(macro, call, requested, bound_roles) -%}
{%- set is_on = call.confidence is not none or call.comparison is not none -%}
{%- set comparison = call.comparison or {'test': 't', 'against': none} -%}
{%- set bootstraps, flips_signs = call.method == 'bootstrap', comparison.test == 'randomization' -%}
{%- set options = sqlmetrics.passed({'method': call.method, 'cluster': call.cluster, 'standard_error': call.standard_error or none}) -%}
{%- set of_samples = sqlmetrics.passed({'replicates': call.replicates, 'seed': call.seed}) -%}
{%- set or_test = " or ⟨test⟩='randomization'" if call.comparison is not none else '' -%}
{%- set alone = requested[0].metric if is_on and requested | length == 1 else {} -%}
{%- set of_table = alone.get('table') and call.comparison is none -%}
{%- do sqlmetrics.check_rules(macro, [
    [[] if is_on else options, '{0} requires ⟨confidence⟩; add ⟨confidence⟩=0.95 or remove it'],
    [[] if bootstraps or flips_signs else of_samples, "{0} requires ⟨method⟩='bootstrap'" ~ or_test ~ '; add it or remove ⟨{0}⟩'],
    [bootstraps and comparison.against is not none, "⟨method⟩='bootstrap' compares scores of one relation; remove ⟨method⟩ or ⟨against⟩"],
    [bootstraps and comparison.test != 't', "⟨method⟩='bootstrap' supports the test 't' only; remove ⟨method⟩ or ⟨test⟩"],
    [is_on and call.per_group, 'confidence: the value of a single group has no interval; remove it from ⟨per_group⟩'],
    [of_table and not alone.bands, 'confidence: ' ~ alone.get('name') ~ ' is a table whose columns have no interval; remove ⟨confidence⟩'],
    [of_table and bootstraps, "⟨method⟩='bootstrap': " ~ alone.get('name') ~ ' is a table; remove ⟨method⟩'],
    [alone.get('no_interval'), 'confidence: ' ~ requested[0].name ~ ' has no interval: ' ~ alone.get('no_interval')],
    [is_on and 'positives' in bound_roles and call.cluster is none, 'confidence needs ⟨cluster⟩ with ⟨positives⟩ and ⟨total⟩: pre-aggregated rows do not have single rows'],
]) -%}
{%- if not is_on -%}{{ return(none) }}{%- endif -%}
{%- set confidence = sqlmetrics.argument(macro, 'confidence', call.confidence) -%}
{%- set replicates = sqlmetrics.argument(macro, 'replicates', (9999 if flips_signs else 200) if call.replicates is none else call.replicates) -%}
{%- set seed = sqlmetrics.argument(macro, 'seed', 1 if call.seed is none else call.seed) -%}
{{ return({
    'replicates': replicates if bootstraps else none,
    'seed': seed,
    'sign_flips': {'replicates': replicates, 'seed': seed},
    'tail': (1 - confidence) / 2,
    'normal': sqlmetrics.normal_quantile((1 + confidence) / 2),
    'cluster': none if call.cluster is none else sqlmetrics.role_value(macro, 'cluster', call.cluster),
    'standard_error': call.standard_error,
}) }}
{%- endmacro -%}

{#- The columns next to a metric's value. -#}
{%- macro interval_names(metric_call, interval_options) -%}
{%- set metric = metric_call.metric -%}
{%- set without = interval_options is none or metric.name not in metric_call['columns'] or metric.no_interval -%}
{{ return({} if without else sqlmetrics.names_of_ends(metric_call['columns'][metric.name], interval_options)) }}
{%- endmacro -%}

{#- The interval columns of a table, by column. -#}
{%- macro band_names(metric_call, interval_options) -%}
{%- set names = {} -%}
{%- for ratio in (metric_call.metric.bands.ratios if interval_options is not none and metric_call.metric.table and metric_call.metric.bands else []) -%}
{%- do names.update({ratio.column: sqlmetrics.names_of_ends(metric_call['columns'][ratio.column], interval_options)}) -%}
{%- endfor -%}
{{ return(names) }}
{%- endmacro -%}

{%- macro names_of_ends(value, interval_options) -%}
{%- set names = {'low': value ~ '_low', 'high': value ~ '_high'} -%}
{{ return(dict(names, se=value ~ '_se') if interval_options.standard_error else names) }}
{%- endmacro -%}

{#- Quantiles are computed here, since dialects do not share a function for them. Newton's method on the series Φ(z) = ½ + φ(z)·(z +
    z³/3 + z⁵/(3·5) + …), until it converges. Jinja has no logarithm for a rational approximation. -#}
{%- macro normal_quantile(p) -%}
{%- set now = namespace(z=0.0, term=0.0, sum=0.0, moves=true) -%}
{%- for round in range(18) if now.moves -%}
{%- set z = now.z -%}
{%- set now.term = z -%}
{%- set now.sum = z -%}
{%- for n in range(3, 161, 2) -%}
{%- set now.term = now.term * z * z / n -%}
{%- set now.sum = now.sum + now.term -%}
{%- endfor -%}
{%- set step = (p - 0.5) / (0.3989422804014327 * 2.718281828459045 ** (-z * z / 2)) - now.sum -%}
{%- set now.z = z + (step if step < 0.5 else 0.5) -%}
{%- set now.moves = now.z != z -%}
{%- endfor -%}
{{ return(now.z) }}
{%- endmacro -%}
