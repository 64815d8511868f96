{#- The metrics of a call: 'auc', 'ndcg@10', 'mine = ndcg@10', or {'name': 'ndcg', 'k': 10, 'as': 'mine'}. The Python runner turns
    'ndcg(k=10)' into such a dict; dbt accepts the dict only. -#}

{%- macro requested_metrics(macro, metrics, preset) -%}
{%- set preset = sqlmetrics.argument(macro, 'preset', preset) -%}
{%- set requested = [] -%}
{%- set taken = [] -%}
{%- for spec in sqlmetrics.metric_specs(macro, metrics) -%}
{%- set metric_call = sqlmetrics.requested_metric(macro, spec, preset) -%}
{#- Many engines ignore the case of names. -#}
{%- for shown in metric_call['columns'].values() if shown | lower in taken -%}
{%- do sqlmetrics.raise_error(macro, "metrics: two metrics would be called '" ~ shown ~ "'; give one a name of its own, as in 'my_name = " ~ metric_call.metric.name ~ "' or {'name': '" ~ metric_call.metric.name ~ "', 'as': 'my_name'}") -%}
{%- endfor -%}
{%- do taken.extend(metric_call['columns'].values() | map('lower')) -%}
{%- do requested.append(metric_call) -%}
{%- endfor -%}
{%- for metric_call in requested if metric_call.metric.table and requested | length > 1 -%}
{%- do sqlmetrics.raise_error(macro, 'metrics: ' ~ metric_call.metric.name ~ ' is a table; request it in a call of its own') -%}
{%- endfor -%}
{{ return(requested) }}
{%- endmacro -%}

{%- macro metric_specs(macro, metrics) -%}
{%- set is_list = sqlmetrics.is_list(metrics) -%}
{%- for spec in sqlmetrics.as_list(metrics) if spec is string and '(' in spec -%}
{%- do sqlmetrics.raise_error(macro, "metrics: cannot read '" ~ spec.strip() ~ "'; write a metric with arguments as a dict, as in {'name': 'ndcg', 'k': 10, 'gain': 'linear'}") -%}
{%- endfor -%}
{%- set specs = [] if metrics is string else sqlmetrics.as_list(metrics) -%}
{%- for spec in (metrics.split(',') if metrics is string else []) if spec.strip() -%}{%- do specs.append(spec) -%}{%- endfor -%}
{%- do sqlmetrics.check_rules(macro, [
    [metrics is not string and metrics is not mapping and not is_list and metrics is not none, 'metrics: pass a metric or a list of metrics, not ' ~ sqlmetrics.shown(metrics)],
    [not specs, "metrics: name at least one metric, as in ['auc', 'ndcg@10']"],
]) -%}
{{ return(specs) }}
{%- endmacro -%}

{#- A metric with all parameters and the names of its result columns. -#}
{%- macro requested_metric(macro, spec, preset) -%}
{%- set spelled = sqlmetrics.spelling_of(macro, spec) -%}
{%- set metric = sqlmetrics.metric_definition(spelled.metric) -%}
{%- if metric is none -%}
{%- do sqlmetrics.raise_error(macro, "there is no metric '" ~ spelled.metric ~ "'", 'UnknownMetric', spelled.metric, sqlmetrics.known_metrics()) -%}
{%- endif -%}
{%- for name in spelled.arguments if name not in metric.parameters -%}
{%- set takes = 'it takes ' ~ (metric.parameters | join(', ') or 'none') -%}
{%- do sqlmetrics.raise_error(macro, metric.name ~ ' has no parameter ' ~ sqlmetrics.shown(name) ~ '; ' ~ takes, 'BadParameter', name, metric.parameters | list) -%}
{%- endfor -%}
{%- set parameters = {} -%}
{%- set of_preset = {} -%}
{%- for name, parameter in metric.parameters.items() -%}
{%- if name not in spelled.arguments and preset in parameter.presets -%}{%- do of_preset.update({name: preset}) -%}{%- endif -%}
{%- set value = spelled.arguments.get(name, parameter.presets.get(preset, parameter.default)) -%}
{%- do parameters.update({name: sqlmetrics.parameter_value(macro, metric.name, parameter, value)}) -%}
{%- endfor -%}
{#- The default name contains `k` alone; other parameters need `as`. -#}
{%- set plain = metric.name[:-5] if metric.name.endswith('_at_k') else metric.name -%}
{%- set default = plain ~ '_at_' ~ parameters['k'] if spelled.arguments.get('k') is not none and parameters['k'] is not none else metric.name -%}
{%- set name = default if spelled.name is none else spelled.name -%}
{{ return({
    'metric': metric,
    'name': name,
    'parameters': parameters,
    'of_preset': of_preset,
    'columns': sqlmetrics.result_columns(metric, spelled.name, name, parameters),
}) }}
{%- endmacro -%}

{#- A parameter with its value, for errors. If a preset set the value, the text names the preset. -#}
{%- macro setting_words(metric_call, name) -%}
{%- set text = name ~ '=' ~ sqlmetrics.shown(metric_call.parameters[name]) -%}
{{ return(text ~ (" (set by the preset '" ~ metric_call.of_preset[name] ~ "')" if name in metric_call.of_preset else '')) }}
{%- endmacro -%}

{#- Parses a metric into {'metric': …, 'name': … or none, 'arguments': {…}}. -#}
{%- macro spelling_of(macro, spec) -%}
{%- set arguments = {} -%}
{%- if spec is mapping -%}
{%- for key, value in spec.items() if key not in ['name', 'as'] -%}{%- do arguments.update({key: value}) -%}{%- endfor -%}
{%- set text = spec.get('name') -%}
{%- set name = spec.get('as') -%}
{%- set fits = name is none or (name is string and name.strip() and '\u0000' not in name) -%}
{%- do sqlmetrics.check_rules(macro, [
    [text is not string, "metrics: a metric given as a dict needs its 'name', as in {'name': 'ndcg', 'k': 10}"],
    [not fits, "metrics: 'as' must be the name of a result column, not " ~ sqlmetrics.shown(name)],
]) -%}
{%- elif spec is not string -%}
{%- do sqlmetrics.raise_error(macro, 'metrics: a metric is a string or a dict, not ' ~ sqlmetrics.shown(spec)) -%}
{%- else -%}
{%- set text = spec.split('=', 1)[-1] -%}
{%- set name = spec.split('=', 1)[0].strip() if '=' in spec else none -%}
{%- endif -%}
{%- set metric = text.split('@', 1)[0].strip() -%}
{%- set k = text.split('@', 1)[1].strip() if '@' in text else none -%}
{%- if not sqlmetrics.is_word(metric) or (k is not none and not sqlmetrics.is_word('k' ~ k)) or (name is not none and spec is string and not sqlmetrics.is_word(name)) -%}
{%- do sqlmetrics.raise_error(macro, 'metrics: cannot read ' ~ sqlmetrics.shown(spec if spec is string else text) ~ "; write 'auc', 'ndcg@10', 'my_name = ndcg@10' or {'name': 'ndcg', 'k': 10}") -%}
{%- endif -%}
{%- if k is none -%}{{ return({'metric': metric, 'name': name, 'arguments': arguments}) }}{%- endif -%}
{#- `precision` uses a threshold, `precision@10` a ranked list -#}
{%- set known = sqlmetrics.metric_definition(metric) -%}
{%- set takes_k = known is not none and 'k' in known.parameters -%}
{%- set of_list = not takes_k and sqlmetrics.metric_definition(metric ~ '_at_k') is not none -%}
{%- do sqlmetrics.check_rules(macro, [
    [known is not none and not takes_k and not of_list, metric ~ " takes no k: write '" ~ metric ~ "' without @" ~ k],
    ['k' in arguments, "metrics: '" ~ text ~ "' gives k twice"],
]) -%}
{{ return({'metric': metric ~ '_at_k' if of_list else metric, 'name': name, 'arguments': dict(arguments, k=k | int if k.isdigit() and k | length < 19 else k)}) }}
{%- endmacro -%}

{#- Maps columns to result columns: the value has the name of the metric, others have it as a prefix. -#}
{%- macro result_columns(metric, own_name, name, parameters) -%}
{%- set columns = metric['columns'] | list -%}
{%- for parameter, companions in metric.companions.items() if parameters[parameter] is not none -%}{%- do columns.extend(companions) -%}{%- endfor -%}
{%- set renamed = not metric.table and (metric.name in metric['columns'] or own_name is not none) -%}
{%- set shown = {} -%}
{%- for column in columns -%}
{%- set after = column[metric.name | length:] -%}
{%- set is_own = column == metric.name or column.startswith(metric.name ~ '_') -%}
{%- do shown.update({column: column if not renamed else name ~ after if is_own else name ~ '_' ~ column}) -%}
{%- endfor -%}
{{ return(shown) }}
{%- endmacro -%}
