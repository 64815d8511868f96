{#- The metrics of a call: 'auc', 'ndcg@10', 'mine = ndcg@10', or {'name': 'ndcg', 'k': 10, 'as': 'mine'}. The Python runner turns
    'ndcg(k=10)' into such a dict; dbt accepts the dict only. -#}

{%- macro requested_metrics(macro, metrics, preset) -%}
{%- set preset = sqlmetrics.argument(macro, 'preset', preset) -%}
{%- set requested = [] -%}
{%- set taken = [] -%}
{%- for spec in sqlmetrics.metric_specs(macro, metrics) -%}
{%- set metric_call = sqlmetrics.requested_metric(macro, spec, preset) -%}
{#- Many engines ignore the case of names. -#}
{%- set names = metric_call['columns'].values() | map('lower') | list -%}
{%- do sqlmetrics.check_rules(macro, [
    [names | select('in', taken) | list, "metrics: two metrics would be called '{0}'; give one a name of its own, as in 'my_name = " ~ metric_call.metric.name ~ "' or {'name': '" ~ metric_call.metric.name ~ "', 'as': 'my_name'}"],
]) -%}
{%- do taken.extend(names) -%}
{%- do requested.append(metric_call) -%}
{%- endfor -%}
{%- set tables = requested | map(attribute='metric') | selectattr('table') | map(attribute='name') | list if requested | length > 1 else [] -%}
{%- do sqlmetrics.check_rules(macro, [[tables, 'metrics: {0} is a table; request it in a call of its own']]) -%}
{{ return(requested) }}
{%- endmacro -%}

{%- macro metric_specs(macro, metrics) -%}
{%- set is_list = sqlmetrics.is_list(metrics) -%}
{%- set specs = metrics.split(',') | map('trim') | select | list if metrics is string else sqlmetrics.as_list(metrics) -%}
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
{%- for name, parameter in metric.parameters.items() -%}
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
    'spelled': spelled.arguments,
    'preset': preset,
    'columns': sqlmetrics.result_columns(metric, spelled.name, name, parameters),
}) }}
{%- endmacro -%}

{#- A parameter with its value, for errors. If a preset set the value, the text names the preset. -#}
{%- macro setting_words(metric_call, name) -%}
{%- set of_preset = name not in metric_call.spelled and metric_call.preset in metric_call.metric.parameters[name].presets -%}
{{ return(name ~ '=' ~ sqlmetrics.shown(metric_call.parameters[name]) ~ (" (set by the preset '" ~ metric_call.preset ~ "')" if of_preset else '')) }}
{%- endmacro -%}

{#- Parses a metric into {'metric': …, 'name': … or none, 'arguments': {…}}. -#}
{%- macro spelling_of(macro, spec) -%}
{%- set words = spec.split('=', 1) if spec is string else [] -%}
{%- set named = words | length == 2 -%}
{%- set entry = spec if spec is mapping else {'name': words[-1], 'as': words[0].strip() if named else none} if spec is string else {} -%}
{%- set text, name = entry.get('name'), entry.get('as') -%}
{%- set fits = spec is string or name is none or (name is string and name.strip() and '\u0000' not in name) -%}
{%- do sqlmetrics.check_rules(macro, [
    [spec is not string and spec is not mapping, 'metrics: a metric is a string or a dict, not ' ~ sqlmetrics.shown(spec)],
    [text is not string, "metrics: a metric given as a dict needs its 'name', as in {'name': 'ndcg', 'k': 10}"],
    [not fits, "metrics: 'as' must be the name of a result column, not " ~ sqlmetrics.shown(name)],
]) -%}
{%- set metric = text.split('@', 1)[0].strip() -%}
{%- set k = text.split('@', 1)[1].strip() if '@' in text else none -%}
{%- set unreadable = not sqlmetrics.is_word(metric) or (k is not none and not sqlmetrics.is_word('k' ~ k)) or (named and not sqlmetrics.is_word(name)) -%}
{#- `precision` uses a threshold, `precision@10` a ranked list -#}
{%- set known = none if k is none else sqlmetrics.metric_definition(metric) -%}
{%- set takes_k = k is none or (known is not none and 'k' in known.parameters) -%}
{%- set of_list = not takes_k and sqlmetrics.metric_definition(metric ~ '_at_k') is not none -%}
{%- do sqlmetrics.check_rules(macro, [
    [unreadable, 'metrics: cannot read ' ~ sqlmetrics.shown(spec if spec is string else text) ~ "; write 'auc', 'ndcg@10' or 'my_name = ndcg@10', and arguments as a dict, as in {'name': 'ndcg', 'k': 10}"],
    [known is not none and not takes_k and not of_list, metric ~ " takes no k: write '" ~ metric ~ "' without @" ~ k],
    [k is not none and 'k' in entry, "metrics: '" ~ text ~ "' gives k twice"],
]) -%}
{%- set arguments = sqlmetrics.entries_of(entry, entry | reject('in', ['name', 'as'])) -%}
{%- set rank = {} if k is none else {'k': k | int if k.isdigit() and k | length < 19 else k} -%}
{{ return({'metric': metric ~ '_at_k' if of_list else metric, 'name': name, 'arguments': dict(arguments, **rank)}) }}
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
