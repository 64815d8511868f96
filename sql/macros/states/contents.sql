{#- Contents of a state: columns that metrics register by `sum_of` and the like, keys, and texts that describe its metrics. -#}

{#- Means of a part by which its metrics are centred: none for other metrics. -#}
{%- macro means_of_state(metrics) -%}
{%- set centred = metrics | selectattr('frames', 'equalto', ['centred_rows']) | list -%}
{{ return(sqlmetrics.distinct((['mean_label'] if centred else []) + sqlmetrics.uses_of(centred))) }}
{%- endmacro -%}

{#- Keys of a state in addition to slices and buckets: the classes of class counts, the value of a field, or an item. -#}
{%- macro keys_of_state(m) -%}
{%- set state = sqlmetrics.known_frames()[m.frames[-1]].state -%}
{{ return(state['keys'] if state is mapping else []) }}
{%- endmacro -%}

{%- macro describe_metric(metric_call) -%}
{{ metric_call.name }} = {{ metric_call.metric.name }}(
{%- for name, value in metric_call.parameters.items() -%}{{ ', ' if not loop.first }}{{ name }}={{ 'none' if value is none else value | string }}{%- endfor -%}
)
{%- endmacro -%}

{#- Whether a part has the sums of a metric: columns may be added to the table after a part was written. A metric that is listed in
    `made_for` must have the same parameters. -#}
{%- macro has_contents(entry) -%}
{{ sqlmetrics.dialect_text('text_position', sqlmetrics.text_literal('; ' ~ entry.description ~ ';'), "'; ' || made_for") ~ ' > 0' if entry.is_listed }}
{%- for column in entry['columns'] if column.aggregate == 'sum' -%}
{{ '\n        and ' if entry.is_listed or not loop.first }}{{ column.name }} is not null
{%- endfor -%}
{%- endmacro -%}

{#- The weights and other columns behind the sums: sums of different scores must not be mixed. -#}
{%- macro describe_roles(q, buckets) -%}
{%- set roles = q.roles if buckets is none else dict(q.roles, cluster=q.interval_options.cluster) -%}
buckets={{ 'none' if buckets is none else buckets }}{{ '' if 'weight' in roles or 'total' in roles else ', weight=none' }}
{%- for name in roles | sort -%}
, {{ name }}={{ roles[name].column if 'column' in roles[name] else '(' ~ roles[name].sql.strip() ~ ')' }}
{%- endfor -%}
;
{%- endmacro -%}

{#- Columns of the metrics in a state: {name, aggregate, value}, and keys for `parts_around_means`. -#}
{%- macro columns_of_state(macro, metrics) -%}
{%- set columns = {} -%}
{%- for m in metrics -%}
{%- set both = m.as ~ ' and ' ~ metrics[0].as -%}
{%- do sqlmetrics.check_rules(macro, [
    [m.requires != metrics[0].requires, both ~ ' count different rows; build a state for each'],
    [sqlmetrics.keys_of_state(m) != sqlmetrics.keys_of_state(metrics[0]), both ~ ' use different columns; build a state for each'],
]) -%}
{%- for column in sqlmetrics.state_of(macro, m).state -%}{%- do columns.update({column.name: column}) -%}{%- endfor -%}
{%- endfor -%}
{{ return(columns.values() | list) }}
{%- endmacro -%}

{#- A metric with its columns in a state, which it registers when its value is rendered. -#}
{%- macro state_of(macro, m) -%}
{#- Means over groups are read as sum and count, without weights. -#}
{%- do sqlmetrics.check_rules(macro, [
    [not sqlmetrics.is_word(m.as), "metrics: in a state 'as' must be a simple word, not '" ~ m.as ~ "'"],
    ['group_weight' in m.requires, 'group_weight: states do not support weights of groups'],
]) -%}
{%- set noted = sqlmetrics.with_noted_state(m) -%}
{%- if not noted.state -%}
{%- do sqlmetrics.raise_error(macro, m.name ~ ' cannot be added up from parts: ' ~ sqlmetrics.why_stateless(m) ~ '; a state of metrics supports ' ~ sqlmetrics.additive_metrics() | join(', ') ) -%}
{%- endif -%}
{{ return(noted) }}
{%- endmacro -%}

{#- Why metric_state does not support a metric, from the head of its frame. -#}
{%- macro why_stateless(m) -%}
{%- set frame = sqlmetrics.known_frames()[m.frames[-1]] -%}
{%- if m.no_weight -%}
{{ return(m.no_weight) }}
{%- elif frame.state == 'scores' -%}
{{ return('it ranks or bins the scores, which a state of scores supports (score_state of the package, state without metrics elsewhere)') }}
{%- elif frame.stateless is not none -%}
{{ return(frame.stateless) }}
{%- endif -%}
{{ return('it is a table with a row for each ' ~ frame.state if frame.state is not none and m.table else 'it is not a quotient of sums over rows or groups') }}
{%- endmacro -%}

{#- A metric without sums over its frame has no columns. A frame with keys defines the sums of all its metrics. With a cutoff k, they
    count the first k items. -#}
{%- macro with_noted_state(m) -%}
{%- set state = sqlmetrics.known_frames()[m.frames[-1]].state -%}
{%- set columns = [] -%}
{%- if state is mapping and state.of is defined -%}
{%- for sum in sqlmetrics.sums_of_lists(m) -%}
{%- set value = sum.value if m.k is none else 'case when item_rank <= ' ~ m.k ~ ' then ' ~ sum.value ~ ' else 0 end' -%}
{%- do columns.append({'name': sum.name, 'aggregate': 'sum', 'value': value}) -%}
{%- endfor -%}
{%- elif state is mapping -%}
{%- for name, value in state.sums.items() -%}{%- do columns.append({'name': name, 'aggregate': 'sum', 'value': value}) -%}{%- endfor -%}
{%- endif -%}
{%- set noted = dict(m, state=columns) -%}
{%- if state not in ['row', 'group'] or m.query or m.table or (state == 'row' and not m.has_value) -%}
{{ return(noted) }}
{%- endif -%}
{#- Aggregates outside `sum_of` and the like would be missing in the state. -#}
{%- for column in m['columns'] -%}
{%- set value = sqlmetrics.metric_value(noted, column.name) | replace('sum(state_', '') | replace('max(state_', '') | replace('min(state_', '') -%}
{%- for aggregate in ['sum(', 'count(', 'avg(', 'min(', 'max('] if aggregate in value -%}
{{ return(dict(m, state=[])) }}
{%- endfor -%}
{%- endfor -%}
{#- A maximum may be NULL in a part that has it, so a count marks the part. -#}
{%- set sums = noted.state | selectattr('aggregate', 'equalto', 'sum') | map(attribute='name') | list -%}
{%- set count = [{'name': m.as ~ '_count', 'aggregate': 'sum', 'value': '1'}] if noted.state and not sums else [] -%}
{{ return(dict(noted, state=noted.state + count)) }}
{%- endmacro -%}

{#- Names of the metrics that metric_state supports. -#}
{%- macro additive_metrics() -%}
{{ return(sqlmetrics.states_of_metrics().items() | selectattr(1, 'none') | map(attribute=0) | sort) }}
{%- endmacro -%}

{#- name -> none if metric_state supports it, else the reason. -#}
{%- macro states_of_metrics() -%}
{%- set reasons = {} -%}
{%- for name in sqlmetrics.known_metrics() -%}
{%- set spec = {'name': name} -%}
{%- for parameter in sqlmetrics.metric_definition(name).parameters.values() if parameter.required -%}
{%- do spec.update({parameter.name: {'columns': {'a': 'b'}, 'quantiles': {0.5: 'b'}}.get(parameter.type, 1)}) -%}
{%- endfor -%}
{%- set m = sqlmetrics.planned_metric(sqlmetrics.requested_metric('metric_state', spec, none), []) -%}
{%- do reasons.update({name: none if sqlmetrics.with_noted_state(m).state else sqlmetrics.why_stateless(m)}) -%}
{%- endfor -%}
{{ return(reasons) }}
{%- endmacro -%}
