{#- The slice columns ('entries') and, for a list of lists, the groupings. -#}
{%- macro slicing_of(macro, by) -%}
{%- set wanted = sqlmetrics.as_list(by) -%}
{%- set lists = wanted | select('sequence') | reject('string') | reject('mapping') | list -%}
{%- set mixed = lists and lists | length < wanted | length -%}
{%- do sqlmetrics.check_rules(macro, [[mixed, 'by is a list of columns, or a list of such lists; not a mixture']]) -%}
{%- set entries = [] -%}
{%- set groupings = [] -%}
{%- for grouping in lists or [wanted] -%}
{%- set own = [] -%}
{%- for value in grouping -%}
{%- set entry = sqlmetrics.slice_entry(macro, value, entries) -%}
{%- if entry not in entries -%}{%- do entries.append(entry) -%}{%- endif -%}
{%- do own.append({'name': entry.name, 'column': sqlmetrics.position_of(entry, entries)}) -%}
{%- endfor -%}
{%- set columns = own | map(attribute='column') | list -%}
{%- set name = sqlmetrics.names_of(own) | join(', ') or 'overall' -%}
{%- do sqlmetrics.check_rules(macro, [
    [sqlmetrics.distinct(columns) != columns, 'by: a column is named twice'],
    [name in sqlmetrics.names_of(groupings), 'by: the same grouping is named twice'],
]) -%}
{%- do groupings.append({'id': loop.index, 'name': name, 'columns': columns}) -%}
{%- endfor -%}
{{ return({'entries': entries, 'groupings': groupings if lists else []}) }}
{%- endmacro -%}

{#- The entry of a named column in the result: equal to one of `known`, or with a new name. -#}
{%- macro slice_entry(macro, value, known, role='by') -%}
{%- set entry = sqlmetrics.named_value(macro, role, value) -%}
{%- set others = sqlmetrics.names_of(known | reject('equalto', entry)) | map('lower') -%}
{%- do sqlmetrics.check_rules(macro, [
    [value is string and ',' in value and '=' not in value and '(' not in value, role ~ ": '" ~ value ~ "' is one column with a comma in its name; write two columns as a list, and such a name as {'column': '" ~ value ~ "'}"],
    [role == 'by' and (entry.name | lower).startswith('sqlmetrics_'), "the name '" ~ entry.name ~ "' is reserved; choose another"],
    [entry.name | lower in others | list, role ~ ': two ' ~ ('slices' if role == 'by' else 'columns') ~ " would be called '" ~ entry.name ~ "'"],
]) -%}
{{ return(entry) }}
{%- endmacro -%}

{%- macro position_of(value, values) -%}
{%- for other in values -%}
{%- if other == value -%}{{ return(loop.index) }}{%- endif -%}
{%- endfor -%}
{%- endmacro -%}

{#- Slices that exist without rows: groupings without columns, once per model. -#}
{%- macro fixed_slices(slicing, models) -%}
{%- set ids = slicing.groupings | rejectattr('columns') | map(attribute='id') | map('string') | list -%}
{%- set nulls = ['null'] * slicing.entries | length -%}
{%- set fixed = [] -%}
{%- for id in (ids if slicing.groupings or slicing.entries else [none]) -%}
{%- for model in models or [none] -%}
{%- do fixed.append(([] if id is none else [id]) + nulls + ([loop.index | string] if models else [])) -%}
{%- endfor -%}
{%- endfor -%}
{{ return(fixed | select | list) }}
{%- endmacro -%}

{#- Result columns other than slices and metrics. -#}
{%- macro columns_of_every_result(slicing, models, diagnostics) -%}
{{ return(['n'] + (['grouping'] if slicing.groupings else []) + (['model'] if models else []) + (sqlmetrics.known_diagnostics() if diagnostics else [])) }}
{%- endmacro -%}

{#- Names that no metric may have: columns of some results, and columns of steps. -#}
{%- macro names_of_no_metric() -%}
{{ return(sqlmetrics.columns_of_every_result({'groupings': true}, true, true) + sqlmetrics.reserved_names()) }}
{%- endmacro -%}

{%- macro reserved_names() -%}{{ return(['slice_id', 'bucket', 'bucket_left_out', 'replicate']) }}{%- endmacro -%}

{#- Result columns must have distinct names, ignoring case. `metrics` are those of the plan. -#}
{%- macro check_names(macro, metrics, slicing, models, diagnostics) -%}
{%- set reserved = sqlmetrics.columns_of_every_result(slicing, models, diagnostics) -%}
{%- set taken = [] -%}
{%- set of_groups = {} -%}
{%- set of_intervals = [] -%}
{%- for m in metrics -%}
{%- for shown in m.names.values() -%}
{%- set name = shown | lower -%}
{%- do sqlmetrics.check_rules(macro, [
    [name in reserved and not m.table, "metrics: '" ~ shown ~ "' is the name of a column of every result"],
    [name in sqlmetrics.reserved_names() or name.startswith('sqlmetrics_'), "the name '" ~ shown ~ "' is reserved; choose another"],
]) -%}
{%- do taken.append(name) -%}
{%- endfor -%}
{#- Counts to pool over groups are columns next to the values of groups. -#}
{%- for column in m.group_columns if not m.table -%}
{%- set name = column.as | lower -%}
{%- set first = of_groups.setdefault(name, m.as) -%}
{%- do sqlmetrics.check_rules(macro, [[first != m.as, "metrics: '" ~ column.as ~ "' would be a column of both '" ~ first ~ "' and '" ~ m.as ~ "' in the values of groups; give one another name"]]) -%}
{%- endfor -%}
{%- for ends in [m.interval] + m.banded.values() | list -%}{%- do of_intervals.extend(ends.values()) -%}{%- endfor -%}
{%- endfor -%}
{%- for shown in of_intervals -%}
{%- do sqlmetrics.check_rules(macro, [[shown | lower in taken + reserved, "confidence: '" ~ shown ~ "' would be the name of two columns; give the metric another name"]]) -%}
{%- do taken.append(shown | lower) -%}
{%- endfor -%}
{%- do sqlmetrics.check_slice_names(macro, slicing.entries, taken, 'a metric') -%}
{%- do sqlmetrics.check_slice_names(macro, slicing.entries, reserved) -%}
{%- endmacro -%}

{#- A table of groups uses the name of the group column, unless another result column has it. -#}
{%- macro group_name(macro, requested, slicing, models, bound_roles) -%}
{%- set names = sqlmetrics.columns_of_every_result(slicing, models, false) + ['grouping', 'model'] + sqlmetrics.names_of(slicing.entries) -%}
{%- for metric_call in requested -%}
{%- set own = metric_call['columns'] | reject('equalto', 'group') if metric_call.metric.table else metric_call['columns'] -%}
{%- set of_groups = [] if metric_call.metric.table else sqlmetrics.group_columns_of(metric_call) | map(attribute='shown') | list -%}
{%- do names.extend(sqlmetrics.entries_of(metric_call['columns'], own).values() | list + of_groups) -%}
{%- endfor -%}
{%- set taken = names | map('lower') | list -%}
{%- set own = bound_roles.get('group', {}).get('column', 'group') -%}
{%- do sqlmetrics.check_rules(macro, [
    [own | lower in taken and 'group' in taken, "by: the groups need a column of their own, and both '" ~ own ~ "' and 'group' are taken; name the slice otherwise, as in ⟨by⟩=\"my_group = " ~ own ~ '"'],
]) -%}
{{ return('group' if own | lower in taken else own) }}
{%- endmacro -%}

{#- The error of calls that support one grouping only. -#}
{%- macro single_grouping() -%}by must be one list of columns here, not several groupings; make a call for each{%- endmacro -%}
