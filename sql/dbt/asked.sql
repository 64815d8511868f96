{#- The metrics of a call: 'auc', 'ndcg@10', 'mine = ndcg@10', or {'name': 'ndcg', 'k': 10, 'as': 'mine'}. Jinja takes no
    expressions apart, so that parameters other than k need a dict. -#}

{%- macro asked_metrics(macro, metrics, preset) -%}
{%- if preset is not none and preset not in sqlmetrics.known_presets() -%}
{%- do sqlmetrics.refuse(macro, 'preset must be ' ~ sqlmetrics.known_presets() | join(' or ') ~ ', not ' ~ preset) -%}
{%- endif -%}
{%- set specs = [] -%}
{%- if metrics is string and '(' not in metrics -%}
{%- for part in metrics.split(',') if part.strip() -%}{%- do specs.append(part) -%}{%- endfor -%}
{%- elif metrics is string or metrics is mapping -%}
{%- do specs.append(metrics) -%}
{%- elif sqlmetrics.is_list(metrics) -%}
{%- for spec in metrics -%}{%- do specs.append(spec) -%}{%- endfor -%}
{%- endif -%}
{%- if not specs -%}
{%- do sqlmetrics.refuse(macro, "metrics: name at least one metric, as in metrics=['auc', 'ndcg@10']") -%}
{%- endif -%}
{%- set asked = [] -%}
{%- set taken = [] -%}
{%- for spec in specs -%}
{%- set one = sqlmetrics.asked_metric(macro, spec, preset) -%}
{%- for name, shown in one.columns.items() -%}
{%- if shown in taken -%}
{%- do sqlmetrics.refuse(macro, "metrics: two metrics would be called '" ~ shown ~ "'; give one a name of its own, as in {'name': '" ~ one.metric.name ~ "', 'as': 'my_name'}") -%}
{%- endif -%}
{%- do taken.append(shown) -%}
{%- endfor -%}
{%- do asked.append(one) -%}
{%- endfor -%}
{%- for one in asked if one.metric.table and asked | length > 1 -%}
{%- do sqlmetrics.refuse(macro, 'metrics: ' ~ one.metric.name ~ ' is a table and must be asked for alone') -%}
{%- endfor -%}
{{ return(asked) }}
{%- endmacro -%}

{%- macro asked_metric(macro, spec, preset) -%}
{%- set own = namespace(metric=none, name=none) -%}
{%- set given = {} -%}
{%- if spec is mapping -%}
{%- for key, value in spec.items() -%}
{%- if key == 'name' -%}{%- set own.metric = value -%}
{%- elif key == 'as' -%}{%- set own.name = value -%}
{%- else -%}{%- do given.update({key: value}) -%}
{%- endif -%}
{%- endfor -%}
{%- if own.metric is none -%}
{%- do sqlmetrics.refuse(macro, "metrics: a metric given as a dict needs its 'name', as in {'name': 'ndcg', 'k': 10}") -%}
{%- endif -%}
{%- elif spec is string -%}
{%- if '(' in spec -%}
{%- do sqlmetrics.refuse(macro, "metrics: write '" ~ spec ~ "' as a dict, as in {'name': 'ndcg', 'k': 10, 'gain': 'linear', 'as': 'my_name'}") -%}
{%- endif -%}
{%- set own.metric = spec.strip() -%}
{%- if '=' in spec -%}
{%- set own.name = spec.split('=', 1)[0].strip() -%}
{%- set own.metric = spec.split('=', 1)[1].strip() -%}
{%- endif -%}
{%- if '@' in own.metric -%}
{%- set k = own.metric.split('@', 1)[1].strip() -%}
{%- set own.metric = own.metric.split('@', 1)[0].strip() -%}
{%- set plain = sqlmetrics.metric_definition(own.metric) -%}
{%- if plain is none or 'k' not in plain.parameters -%}
{%- if sqlmetrics.metric_definition(own.metric ~ '_at_k') is not none -%}
{%- set own.metric = own.metric ~ '_at_k' -%}
{%- elif plain is not none -%}
{%- do sqlmetrics.refuse(macro, own.metric ~ " takes no k: write '" ~ own.metric ~ "' without @" ~ k) -%}
{%- endif -%}
{%- endif -%}
{%- do given.update({'k': k | int if k.isdigit() else k}) -%}
{%- endif -%}
{%- else -%}
{%- do sqlmetrics.refuse(macro, 'metrics: a metric is a string or a dict, not ' ~ spec) -%}
{%- endif -%}
{%- if own.name is not none and not sqlmetrics.is_word(own.name) -%}
{%- do sqlmetrics.refuse(macro, "metrics: 'as' must be a simple word, not '" ~ own.name ~ "'") -%}
{%- endif -%}
{%- set metric = sqlmetrics.metric_definition(own.metric) -%}
{%- if metric is none -%}
{%- do sqlmetrics.refuse(macro, "metrics: there is no metric '" ~ own.metric ~ "'; there are " ~ sqlmetrics.known_metrics() | join(', ')) -%}
{%- endif -%}
{%- for key in given if key not in metric.parameters -%}
{%- do sqlmetrics.refuse(macro, metric.name ~ " has no parameter '" ~ key ~ "'; it takes " ~ (metric.parameters | join(', ') or 'none')) -%}
{%- endfor -%}
{%- set parameters = {} -%}
{%- for name, parameter in metric.parameters.items() -%}
{%- if name in given -%}
{%- set value = given[name] -%}
{%- elif preset is not none and preset in parameter.presets -%}
{%- set value = parameter.presets[preset] -%}
{%- else -%}
{%- set value = parameter.default -%}
{%- endif -%}
{%- do parameters.update({name: sqlmetrics.parameter_value(macro, metric.name, parameter, value)}) -%}
{%- endfor -%}
{#- Only k shows in a name; the other parameters ask for a name of one's own. -#}
{%- set shown = namespace(name=own.name) -%}
{%- if own.name is none -%}
{%- set shown.name = metric.name -%}
{%- if given['k'] is defined and given['k'] is not none -%}
{%- set shown.name = (metric.name[:-5] if metric.name.endswith('_at_k') else metric.name) ~ '_at_' ~ given['k'] -%}
{%- endif -%}
{%- endif -%}
{{ return({
    'metric': metric,
    'name': shown.name,
    'parameters': parameters,
    'columns': sqlmetrics.result_columns(metric, own.name, shown.name, parameters),
}) }}
{%- endmacro -%}

{#- Result column by the metric's own column: the first is called like the metric, its companions after it. -#}
{%- macro result_columns(metric, own_name, shown_name, parameters) -%}
{%- set names = metric.columns | list -%}
{%- for parameter, companions in metric.companions.items() if parameters[parameter] is not none -%}
{%- for name in companions -%}{%- do names.append(name) -%}{%- endfor -%}
{%- endfor -%}
{%- set columns = {} -%}
{%- for name in names -%}
{%- if name == metric.name and not metric.table -%}
{%- do columns.update({name: shown_name}) -%}
{%- elif metric.table or (metric.name not in metric.columns and own_name is none) -%}
{%- do columns.update({name: name}) -%}
{%- elif name.startswith(metric.name ~ '_') -%}
{%- do columns.update({name: shown_name ~ name[metric.name | length:]}) -%}
{%- else -%}
{%- do columns.update({name: shown_name ~ '_' ~ name}) -%}
{%- endif -%}
{%- endfor -%}
{{ return(columns) }}
{%- endmacro -%}
