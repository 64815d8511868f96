{#- The metrics of a call: 'auc', 'ndcg@10', 'mine = ndcg@10', or {'name': 'ndcg', 'k': 10, 'as': 'mine'}. What stands in brackets, as
    in 'ndcg(k=10)', the Python runner makes such a dict of; in dbt it is written as one. -#}

{%- macro requested_metrics(macro, metrics, preset) -%}
{%- if preset is not none and preset not in sqlmetrics.known_presets() -%}
{%- do sqlmetrics.refuse(macro, 'preset must be ' ~ sqlmetrics.one_of(sqlmetrics.known_presets()) ~ ', not ' ~ sqlmetrics.shown(preset)) -%}
{%- endif -%}
{%- set requested = [] -%}
{%- set taken = [] -%}
{%- for spec in sqlmetrics.metric_specs(macro, metrics) -%}
{%- set one = sqlmetrics.requested_metric(macro, spec, preset) -%}
{%- for shown in one['columns'].values() -%}
{#- No engine tells names apart by their case. -#}
{%- if shown | lower in taken -%}
{%- do sqlmetrics.refuse(macro, "metrics: two metrics would be called '" ~ shown ~ "'; give one a name of its own, as in 'my_name = " ~ one.metric.name ~ "' or {'name': '" ~ one.metric.name ~ "', 'as': 'my_name'}") -%}
{%- endif -%}
{%- do taken.append(shown | lower) -%}
{%- endfor -%}
{%- do requested.append(one) -%}
{%- endfor -%}
{%- for one in requested if one.metric.table and requested | length > 1 -%}
{%- do sqlmetrics.refuse(macro, 'metrics: ' ~ one.metric.name ~ ' is a table and must be asked for alone') -%}
{%- endfor -%}
{{ return(requested) }}
{%- endmacro -%}

{%- macro metric_specs(macro, metrics) -%}
{%- set specs = [] -%}
{%- if metrics is string -%}
{%- if '(' in metrics -%}{%- do sqlmetrics.refuse_brackets(macro, metrics) -%}{%- endif -%}
{%- for part in metrics.split(',') if part.strip() -%}{%- do specs.append(part) -%}{%- endfor -%}
{%- elif metrics is mapping -%}
{%- do specs.append(metrics) -%}
{%- elif sqlmetrics.is_list(metrics) -%}
{%- for spec in metrics -%}
{%- if spec is string and '(' in spec -%}{%- do sqlmetrics.refuse_brackets(macro, spec) -%}{%- endif -%}
{%- do specs.append(spec) -%}
{%- endfor -%}
{%- elif metrics is not none -%}
{%- do sqlmetrics.refuse(macro, 'metrics: name a metric, or several in a list, not ' ~ sqlmetrics.shown(metrics)) -%}
{%- endif -%}
{%- if not specs -%}
{%- do sqlmetrics.refuse(macro, "metrics: name at least one metric, as in ['auc', 'ndcg@10']") -%}
{%- endif -%}
{{ return(specs) }}
{%- endmacro -%}

{%- macro refuse_brackets(macro, text) -%}
{%- do sqlmetrics.refuse(macro, "metrics: cannot read '" ~ text.strip() ~ "'; write a metric with arguments as a dict, as in {'name': 'ndcg', 'k': 10, 'gain': 'linear'}") -%}
{%- endmacro -%}

{#- One metric with every parameter filled in, and the names of its result columns. -#}
{%- macro requested_metric(macro, spec, preset) -%}
{%- set spelled = sqlmetrics.spelling_of(macro, spec) -%}
{%- set metric = sqlmetrics.metric_definition(spelled.metric) -%}
{%- if metric is none -%}
{%- do sqlmetrics.refuse(macro, "there is no metric '" ~ spelled.metric ~ "'", 'UnknownMetric', spelled.metric, sqlmetrics.known_metrics()) -%}
{%- endif -%}
{%- for name in spelled.given if name not in metric.parameters -%}
{%- set takes = 'it takes ' ~ (metric.parameters | join(', ') or 'none') -%}
{%- do sqlmetrics.refuse(macro, metric.name ~ ' has no parameter ' ~ sqlmetrics.shown(name) ~ '; ' ~ takes, 'BadParameter', name, metric.parameters | list) -%}
{%- endfor -%}
{%- set parameters = {} -%}
{%- set of_preset = {} -%}
{%- for name, parameter in metric.parameters.items() -%}
{%- if name in spelled.given -%}
{%- set value = spelled.given[name] -%}
{%- elif preset is not none and preset in parameter.presets -%}
{%- set value = parameter.presets[preset] -%}
{%- do of_preset.update({name: preset}) -%}
{%- else -%}
{%- set value = parameter.default -%}
{%- endif -%}
{%- do parameters.update({name: sqlmetrics.parameter_value(macro, metric.name, parameter, value)}) -%}
{%- endfor -%}
{#- Only k shows in a name; the other parameters ask for a name of one's own. -#}
{%- set plain = metric.name[:-5] if metric.name.endswith('_at_k') else metric.name -%}
{%- set default = plain ~ '_at_' ~ parameters['k'] if spelled.given['k'] is defined and parameters['k'] is not none else metric.name -%}
{%- set name = default if spelled.name is none else spelled.name -%}
{{ return({
    'metric': metric,
    'name': name,
    'parameters': parameters,
    'of_preset': of_preset,
    'columns': sqlmetrics.result_columns(metric, spelled.name, name, parameters),
}) }}
{%- endmacro -%}

{#- A parameter with its value, for an error that comes of it; a value that nobody wrote is that of a preset. -#}
{%- macro setting_words(one, name) -%}
{%- set words = name ~ '=' ~ sqlmetrics.shown(one.parameters[name]) -%}
{{ return(words ~ (" (set by the preset '" ~ one.of_preset[name] ~ "')" if name in one.of_preset else '')) }}
{%- endmacro -%}

{#- What a metric is called by and what is given of it: {'metric': …, 'name': … or none, 'given': {…}}. -#}
{%- macro spelling_of(macro, spec) -%}
{%- set given = {} -%}
{%- if spec is mapping -%}
{%- for key, value in spec.items() if key not in ['name', 'as'] -%}{%- do given.update({key: value}) -%}{%- endfor -%}
{%- set text = spec['name'] if spec['name'] is defined else none -%}
{%- set name = spec['as'] if spec['as'] is defined else none -%}
{%- if text is not string -%}
{%- do sqlmetrics.refuse(macro, "metrics: a metric given as a dict needs its 'name', as in {'name': 'ndcg', 'k': 10}") -%}
{%- endif -%}
{%- if name is not none and (name is not string or not name.strip() or '\u0000' in name) -%}
{%- do sqlmetrics.refuse(macro, "metrics: 'as' must be the name of a result column, not " ~ sqlmetrics.shown(name)) -%}
{%- endif -%}
{%- elif spec is not string -%}
{%- do sqlmetrics.refuse(macro, 'metrics: a metric is a string or a dict, not ' ~ sqlmetrics.shown(spec)) -%}
{%- else -%}
{%- set name = spec.split('=', 1)[0].strip() if '=' in spec else none -%}
{%- set text = spec.split('=', 1)[1] if '=' in spec else spec -%}
{%- endif -%}
{%- set metric = text.split('@', 1)[0].strip() -%}
{%- set k = text.split('@', 1)[1].strip() if '@' in text else none -%}
{%- if not sqlmetrics.is_word(metric) or (k is not none and not sqlmetrics.is_word('k' ~ k)) or (name is not none and spec is string and not sqlmetrics.is_word(name)) -%}
{%- do sqlmetrics.refuse(macro, 'metrics: cannot read ' ~ sqlmetrics.shown(spec if spec is string else text) ~ "; write 'auc', 'ndcg@10', 'my_name = ndcg@10' or {'name': 'ndcg', 'k': 10}") -%}
{%- endif -%}
{%- if k is not none -%}
{%- set known = sqlmetrics.metric_definition(metric) -%}
{%- if known is none or 'k' not in known.parameters -%}
{#- precision is the one at a threshold, precision@10 that of a ranked list -#}
{%- if sqlmetrics.metric_definition(metric ~ '_at_k') is not none -%}
{%- set metric = metric ~ '_at_k' -%}
{%- elif known is not none -%}
{%- do sqlmetrics.refuse(macro, metric ~ " takes no k: write '" ~ metric ~ "' without @" ~ k) -%}
{%- endif -%}
{%- endif -%}
{%- if 'k' in given -%}
{%- do sqlmetrics.refuse(macro, "metrics: '" ~ text ~ "' gives k twice") -%}
{%- endif -%}
{%- do given.update({'k': k | int if k.isdigit() and k | length < 19 else k}) -%}
{%- endif -%}
{{ return({'metric': metric, 'name': name, 'given': given}) }}
{%- endmacro -%}

{#- Result column by the metric's own column: the first is called like the metric, its companions after it. -#}
{%- macro result_columns(metric, own_name, name, parameters) -%}
{%- set companions = [] -%}
{%- for parameter, names in metric.companions.items() if parameters[parameter] is not none -%}
{%- do companions.extend(names) -%}
{%- endfor -%}
{%- set columns = {} -%}
{%- for column in (metric['columns'] | list) + companions -%}
{%- if metric.table -%}
{%- set shown = column -%}
{%- elif column == metric.name -%}
{%- set shown = name -%}
{%- elif metric.name not in metric['columns'] and own_name is none -%}
{%- set shown = column -%}
{%- elif column.startswith(metric.name ~ '_') -%}
{%- set shown = name ~ column[metric.name | length:] -%}
{%- else -%}
{%- set shown = name ~ '_' ~ column -%}
{%- endif -%}
{%- do columns.update({column: shown}) -%}
{%- endfor -%}
{{ return(columns) }}
{%- endmacro -%}
