{#- How sure a value is: what `confidence` and `cluster` of a call mean. -#}

{#- None without confidence; else the quantile of the normal distribution, the column whose rows belong together, and the names of the result. -#}
{%- macro certainty_of(macro, call, requested, given) -%}
{%- if call.standard_error is not boolean -%}
{%- do sqlmetrics.refuse(macro, 'standard_error must be true or false, not ' ~ sqlmetrics.shown(call.standard_error)) -%}
{%- endif -%}
{%- if call.confidence is none and call.comparison is none -%}
{%- for argument in (['method'] if call.method is not none else []) + (['cluster'] if call.cluster else []) + (['standard_error'] if call.standard_error else []) -%}
{%- do sqlmetrics.refuse(macro, argument ~ ' has a meaning with ⟨confidence⟩ only; give ⟨confidence⟩=0.95 or leave it out') -%}
{%- endfor -%}
{%- do sqlmetrics.resampling_of(macro, call) -%}
{{ return(none) }}
{%- endif -%}
{%- if call.confidence is not number or call.confidence is boolean or not (0.5 <= call.confidence and call.confidence <= 0.999999) -%}
{%- do sqlmetrics.refuse(macro, 'confidence must be a number between 0.5 and 0.999999, as in 0.95, not ' ~ sqlmetrics.shown(call.confidence)) -%}
{%- endif -%}
{%- if call.per_group -%}
{%- do sqlmetrics.refuse(macro, 'confidence: the value of a single group has no interval; leave it out of ⟨per_group⟩') -%}
{%- endif -%}
{%- for one in requested if one.metric.table -%}
{%- if not one.metric.bands or call.comparison is not none -%}
{%- do sqlmetrics.refuse(macro, 'confidence: ' ~ one.metric.name ~ ' is a table' ~ (' whose columns have no interval' if call.comparison is none) ~ '; ask for it without ⟨confidence⟩') -%}
{%- elif call.method == 'bootstrap' -%}
{%- do sqlmetrics.refuse(macro, "⟨method⟩='bootstrap': " ~ one.metric.name ~ ' is a table; leave ⟨method⟩ out') -%}
{%- endif -%}
{%- endfor -%}
{%- for one in requested if one.metric.no_interval and requested | length == 1 -%}
{%- do sqlmetrics.refuse(macro, 'confidence: ' ~ one.name ~ ' has no interval: ' ~ one.metric.no_interval) -%}
{%- endfor -%}
{%- if 'positives' in given and call.cluster is none -%}
{%- do sqlmetrics.refuse(macro, 'confidence needs ⟨cluster⟩ with ⟨positives⟩ and ⟨total⟩: the rows behind a pre-aggregated row are not known one by one') -%}
{%- endif -%}
{%- set drawn = sqlmetrics.resampling_of(macro, call) -%}
{%- set resampled = call.method == 'bootstrap' -%}
{{ return({
    'replicates': drawn.replicates if resampled else none,
    'seed': drawn.seed,
    'sign_flips': drawn,
    'tail': (1 - call.confidence) / 2,
    'normal': sqlmetrics.normal_quantile((1 + call.confidence) / 2),
    'cluster': none if call.cluster is none else sqlmetrics.role_value(macro, 'cluster', call.cluster),
    'standard_error': call.standard_error,
}) }}
{%- endmacro -%}

{#- How often clusters are drawn, and by which seed; neither where nothing is drawn. -#}
{%- macro resampling_of(macro, call) -%}
{%- if call.method is not none and (call.method is not string or call.method not in ['jackknife', 'bootstrap']) -%}
{%- do sqlmetrics.refuse(macro, "method must be 'jackknife' or 'bootstrap', not " ~ sqlmetrics.shown(call.method)) -%}
{%- endif -%}
{%- set flips_signs = call.comparison is not none and call.comparison.test == 'randomization' -%}
{%- if (call.method is none or call.method != 'bootstrap') and not flips_signs -%}
{%- for argument in ['replicates', 'seed'] if call[argument] is not none -%}
{%- do sqlmetrics.refuse(macro, argument ~ " has a meaning with ⟨method⟩='bootstrap'" ~ (" or ⟨test⟩='randomization'" if call.comparison is not none) ~ ' only; give it or leave ⟨' ~ argument ~ '⟩ out') -%}
{%- endfor -%}
{{ return({'replicates': none, 'seed': none}) }}
{%- endif -%}
{%- if call.method == 'bootstrap' and call.comparison is not none and call.comparison.against is not none -%}
{%- do sqlmetrics.refuse(macro, "⟨method⟩='bootstrap' compares scores of one relation; leave ⟨method⟩ out, or ⟨against⟩") -%}
{%- elif call.method == 'bootstrap' and call.comparison is not none and call.comparison.test != 't' -%}
{%- do sqlmetrics.refuse(macro, "⟨method⟩='bootstrap' goes with the test 't'; leave ⟨method⟩ out, or ⟨test⟩") -%}
{%- endif -%}
{%- set replicates = (9999 if flips_signs else 200) if call.replicates is none else call.replicates -%}
{%- if replicates is not integer or replicates is boolean or not (20 <= replicates and replicates <= 10000) -%}
{%- do sqlmetrics.refuse(macro, 'replicates must be a whole number from 20 to 10000, as in 200, not ' ~ sqlmetrics.shown(replicates)) -%}
{%- endif -%}
{%- set seed = 1 if call.seed is none else call.seed -%}
{%- if seed is not integer or seed is boolean or not (0 <= seed and seed <= 9007199254740991) -%}
{%- do sqlmetrics.refuse(macro, 'seed must be a whole number from 0 to 9007199254740991, not ' ~ sqlmetrics.shown(seed)) -%}
{%- endif -%}
{{ return({'replicates': replicates, 'seed': seed}) }}
{%- endmacro -%}

{#- The columns that stand beside a metric's value. -#}
{%- macro interval_names(one, certainty, diagnostics) -%}
{%- if certainty is none or one.metric.name not in one['columns'] or one.metric.no_interval -%}
{{ return({}) }}
{%- endif -%}
{%- set value = one['columns'][one.metric.name] -%}
{%- set names = {'low': value ~ '_low', 'high': value ~ '_high'} -%}
{%- if certainty.standard_error -%}{%- do names.update({'se': value ~ '_se'}) -%}{%- endif -%}
{%- if diagnostics -%}{%- do names.update({'clusters': value ~ '_clusters'}) -%}{%- endif -%}
{{ return(names) }}
{%- endmacro -%}

{#- The columns that stand beside those of a table: column -> its interval. -#}
{%- macro band_names(one, certainty) -%}
{%- set names = {} -%}
{%- if certainty is not none and one.metric.table and one.metric.bands -%}
{%- for ratio in one.metric.bands.ratios -%}
{%- set value = one['columns'][ratio.column] -%}
{%- set own = {'low': value ~ '_low', 'high': value ~ '_high'} -%}
{%- if certainty.standard_error -%}{%- do own.update({'se': value ~ '_se'}) -%}{%- endif -%}
{%- do names.update({ratio.column: own}) -%}
{%- endfor -%}
{%- endif -%}
{{ return(names) }}
{%- endmacro -%}

{#- The ends of a metric's range, where it has some: an interval ends there. Behind a semicolon stands the value of a parameter that
    takes them away. -#}
{%- macro range_of(metric, parameters) -%}
{%- for name, value in metric.unbounded.items() if parameters[name] == value -%}
{{ return([none, none]) }}
{%- endfor -%}
{{ return([metric.lower, metric.upper]) }}
{%- endmacro -%}

{#- Quantiles are numbers when the text is written, because no two dialects have the same functions. Newton's method, on the
    series Φ(z) = ½ + φ(z)·(z + z³/3 + z⁵/(3·5) + …), until nothing moves any more. -#}
{%- macro normal_quantile(p) -%}
{%- set now = namespace(z=0.0, term=0.0, sum=0.0, moves=true) -%}
{%- for round in range(18) if now.moves -%}
{%- set z = now.z -%}
{%- set density = 0.3989422804014327 * 2.718281828459045 ** (-z * z / 2) -%}
{%- set now.term = z -%}
{%- set now.sum = z -%}
{%- for n in range(3, 161, 2) if now.term -%}
{%- set term = now.term * z * z / n -%}
{%- set sum = now.sum + term -%}
{%- set now.term = term if sum != now.sum else 0 -%}
{%- set now.sum = sum -%}
{%- endfor -%}
{%- set step = (p - 0.5) / density - now.sum -%}
{%- set now.z = z + (step if step < 0.5 else 0.5) -%}
{%- set now.moves = now.z != z -%}
{%- endfor -%}
{{ return(now.z) }}
{%- endmacro -%}
