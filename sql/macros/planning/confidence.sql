{#- Arguments of intervals: `confidence`, `cluster`, `method` and so on. -#}

{#- None without `confidence` and without a comparison, else the options of the intervals. -#}
{%- macro interval_options_of(macro, call, requested, bound_roles) -%}
{%- do sqlmetrics.argument(macro, 'standard_error', call.standard_error) -%}
{%- if call.confidence is none and call.comparison is none -%}
{%- for argument in ['method', 'cluster', 'standard_error'] if call[argument] is not none and call[argument] is not false -%}
{%- do sqlmetrics.raise_error(macro, argument ~ ' requires ⟨confidence⟩; add ⟨confidence⟩=0.95 or remove it') -%}
{%- endfor -%}
{%- do sqlmetrics.resampling_of(macro, call) -%}
{{ return(none) }}
{%- endif -%}
{%- set confidence = sqlmetrics.argument(macro, 'confidence', call.confidence) -%}
{%- set alone = requested[0].metric if requested | length == 1 else {} -%}
{%- set no_bands = alone.get('table') and (not alone.bands or call.comparison is not none) -%}
{%- do sqlmetrics.check_rules(macro, [
    [call.per_group, 'confidence: the value of a single group has no interval; remove it from ⟨per_group⟩'],
    [no_bands, 'confidence: ' ~ alone.get('name') ~ ' is a table' ~ (' whose columns have no interval' if call.comparison is none else '') ~ '; remove ⟨confidence⟩'],
    [alone.get('table') and call.method == 'bootstrap', "⟨method⟩='bootstrap': " ~ alone.get('name') ~ ' is a table; remove ⟨method⟩'],
    [alone.get('no_interval'), 'confidence: ' ~ requested[0].name ~ ' has no interval: ' ~ alone.get('no_interval')],
    ['positives' in bound_roles and call.cluster is none, 'confidence needs ⟨cluster⟩ with ⟨positives⟩ and ⟨total⟩: pre-aggregated rows do not have single rows'],
]) -%}
{%- set resampling = sqlmetrics.resampling_of(macro, call) -%}
{%- set resampled = call.method == 'bootstrap' -%}
{{ return({
    'replicates': resampling.replicates if resampled else none,
    'seed': resampling.seed,
    'sign_flips': resampling,
    'tail': (1 - confidence) / 2,
    'normal': sqlmetrics.normal_quantile((1 + confidence) / 2),
    'cluster': none if call.cluster is none else sqlmetrics.role_value(macro, 'cluster', call.cluster),
    'standard_error': call.standard_error,
}) }}
{%- endmacro -%}

{#- Replicates and seed of the bootstrap or randomization test; none without these. -#}
{%- macro resampling_of(macro, call) -%}
{%- set method = sqlmetrics.argument(macro, 'method', call.method) -%}
{%- set comparison = call.comparison or {'test': 't', 'against': none} -%}
{%- set flips_signs = comparison.test == 'randomization' -%}
{%- if method != 'bootstrap' and not flips_signs -%}
{%- for argument in ['replicates', 'seed'] if call[argument] is not none -%}
{%- do sqlmetrics.raise_error(macro, argument ~ " requires ⟨method⟩='bootstrap'" ~ (" or ⟨test⟩='randomization'" if call.comparison is not none) ~ '; add it or remove ⟨' ~ argument ~ '⟩') -%}
{%- endfor -%}
{{ return({'replicates': none, 'seed': none}) }}
{%- endif -%}
{%- do sqlmetrics.check_rules(macro, [
    [method == 'bootstrap' and comparison.against is not none, "⟨method⟩='bootstrap' compares scores of one relation; remove ⟨method⟩ or ⟨against⟩"],
    [method == 'bootstrap' and comparison.test != 't', "⟨method⟩='bootstrap' supports the test 't' only; remove ⟨method⟩ or ⟨test⟩"],
]) -%}
{{ return({
    'replicates': sqlmetrics.argument(macro, 'replicates', (9999 if flips_signs else 200) if call.replicates is none else call.replicates),
    'seed': sqlmetrics.argument(macro, 'seed', 1 if call.seed is none else call.seed),
}) }}
{%- endmacro -%}

{#- The columns next to a metric's value. -#}
{%- macro interval_names(metric_call, interval_options, diagnostics) -%}
{%- if interval_options is none or metric_call.metric.name not in metric_call['columns'] or metric_call.metric.no_interval -%}
{{ return({}) }}
{%- endif -%}
{%- set value = metric_call['columns'][metric_call.metric.name] -%}
{%- set names = sqlmetrics.names_of_ends(value, interval_options) -%}
{{ return(dict(names, clusters=value ~ '_clusters') if diagnostics else names) }}
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
