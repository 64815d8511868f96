{#- From the arguments of a call to the plan that `query` renders: roles, slices, metrics. What planning.py does for the
    Python runner, so that one call gives one text in both. -#}

{#- The statement of a call; every public macro ends here. -#}
{%- macro statement(macro, relation, metrics, roles, relations, preset, by, where, shape) -%}
{{ sqlmetrics.query(sqlmetrics.plan(macro, relation, metrics, roles, relations, preset, by, where, shape)) }}
{%- endmacro -%}

{%- macro plan(macro, relation, metrics, roles, relations, preset, by, where, shape) -%}
{%- if target.type not in sqlmetrics.known_dialects() -%}
{%- do sqlmetrics.refuse(macro, "target type '" ~ target.type ~ "' is not supported; " ~ sqlmetrics.known_dialects() | join(', ') ~ ' are') -%}
{%- endif -%}
{%- if relation is none or relation is not defined or not (relation | string).strip() -%}
{%- do sqlmetrics.refuse(macro, "relation must be given, as in relation=ref('impressions')") -%}
{%- endif -%}
{%- if shape is not none and shape not in sqlmetrics.known_shapes() -%}
{%- do sqlmetrics.refuse(macro, "shape must be '" ~ sqlmetrics.known_shapes() | join("' or '") ~ "', not '" ~ shape ~ "'") -%}
{%- endif -%}
{%- if where is not none and (where is not string or not where.strip()) -%}
{%- do sqlmetrics.refuse(macro, 'where must be an SQL condition') -%}
{%- endif -%}
{%- set asked = sqlmetrics.asked_metrics(macro, metrics, preset) -%}
{%- set names = [] -%}
{%- for one in asked -%}{%- do names.append(one.name) -%}{%- endfor -%}
{%- set further = sqlmetrics.used_relations(macro, asked, names, relations) -%}
{%- set judged = 'judgments' in further -%}
{%- set given = sqlmetrics.given_roles(macro, asked, names, roles) -%}
{%- set models = sqlmetrics.models_of(macro, roles.get('score')) -%}
{%- if models | length == 1 -%}
{%- do given.update({'score': models[0]}) -%}
{%- set models = [] -%}
{%- endif -%}
{%- set computed = sqlmetrics.computed_columns(macro, asked, given) -%}
{%- set requires = [] -%}
{%- for one in asked -%}
{%- do requires.append(sqlmetrics.required_columns(macro, one, given, models | length > 0, judged)) -%}
{%- endfor -%}
{%- set slicing = sqlmetrics.groupings_of(macro, by) -%}
{%- do sqlmetrics.check_names(macro, asked, slicing.entries, slicing.groupings | length > 0, models | length > 0) -%}

{#- The canonical columns that some metric needs, and those that every metric needs. -#}
{%- set needed = [] -%}
{%- set required = [] -%}
{%- for name in (sqlmetrics.column_roles() | list) + (computed | list) -%}
{%- set times = namespace(value=0) -%}
{%- for columns in requires if name in columns -%}{%- set times.value = times.value + 1 -%}{%- endfor -%}
{%- if times.value -%}{%- do needed.append(name) -%}{%- endif -%}
{%- if times.value == asked | length -%}{%- do required.append('score' if name == 'negated_rank' else name) -%}{%- endif -%}
{%- endfor -%}
{%- set keyed = namespace(some=false) -%}
{%- for one in asked if one.parameters['ties'] == 'key' or one.metric.frames[-1] == 'listed_items' -%}
{%- if 'tie_key' not in given and 'item' not in given -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ": ties='key' needs the role tie_key (or item)") -%}
{%- endif -%}
{%- set keyed.some = true -%}
{%- endfor -%}
{%- if 'tie_key' not in given and keyed.some -%}
{%- do given.update({'tie_key': given['item']}) -%}
{%- endif -%}
{%- if 'tie_key' in given -%}
{%- for one in asked if 'tie_key' in one.metric.roles and 'tie_key' not in needed -%}{%- do needed.append('tie_key') -%}{%- endfor -%}
{%- endif -%}
{%- set columns = {} -%}
{%- for name in needed -%}
{%- if name in computed -%}
{%- do columns.update({name: computed[name]}) -%}
{%- elif sqlmetrics.column_roles()[name] in given -%}
{%- do columns.update({name: given[sqlmetrics.column_roles()[name]]}) -%}
{%- endif -%}
{%- endfor -%}

{%- set template_metrics = [] -%}
{%- for one in asked -%}
{%- do template_metrics.append(sqlmetrics.template_metric(macro, one, requires[loop.index0], given, judged)) -%}
{%- endfor -%}
{%- set weighted = 'weight' in given or 'positives' in given -%}
{{ return({
    'title': sqlmetrics.plan_title(names, slicing, relation | string),
    'relation': relation | string,
    'input': none,
    'by': slicing.entries,
    'groupings': slicing.groupings,
    'models': models,
    'columns': columns,
    'derived': sqlmetrics.derived_columns(asked, needed, required, models | length > 0, judged),
    'required': required,
    'where': where,
    'metrics': template_metrics,
    'relations': sqlmetrics.template_relations(further, given),
    'per_group': false,
    'group_name': 'group',
    'table': asked[0].metric.table,
    'shape': shape,
    'countable': not weighted,
    'stored': false,
    'fixed_slices': sqlmetrics.fixed_slices(slicing, models),
    'whole_columns': [],
    'problems': [],
    'checks': false,
    'diagnostics': false,
}) }}
{%- endmacro -%}

{#- The further relations given, each read by some metric; those needed, each given. -#}
{%- macro used_relations(macro, asked, names, relations) -%}
{%- set used = {} -%}
{%- for name, relation in relations.items() if relation is not none -%}
{%- set readers = [] -%}
{%- for one in asked if name in one.metric.relations -%}{%- do readers.append(one.name) -%}{%- endfor -%}
{%- if not readers -%}
{%- do sqlmetrics.refuse(macro, name ~ ' has no meaning for ' ~ names | join(', ') ~ ': leave it out') -%}
{%- endif -%}
{%- do used.update({name: relation | string}) -%}
{%- endfor -%}
{%- for one in asked -%}
{%- for name in one.metric.relations if name != 'judgments' and name not in used -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ' needs ' ~ name ~ ': ' ~ sqlmetrics.known_relations()[name]) -%}
{%- endfor -%}
{%- endfor -%}
{{ return(used) }}
{%- endmacro -%}

{%- macro template_relations(further, given) -%}
{%- set result = {} -%}
{%- for name, relation in further.items() -%}
{%- set columns = {} -%}
{%- if name == 'judgments' -%}
{%- do columns.update({'group_id': given['group'], 'item_id': given['item'], 'label': given['label']}) -%}
{%- elif name in ['catalog', 'popularity'] -%}
{%- do columns.update({'item_id': given['item']}) -%}
{%- endif -%}
{%- do result.update({name: {'relation': relation, 'input': none, 'columns': columns}}) -%}
{%- endfor -%}
{{ return(result) }}
{%- endmacro -%}

{#- The roles given, each meant for some metric; the score, of which there may be several, is read by models_of. -#}
{%- macro given_roles(macro, asked, names, roles) -%}
{%- set given = {} -%}
{%- for role, value in roles.items() if value is not none -%}
{%- set readers = [] -%}
{%- for one in asked if role in one.metric.roles -%}{%- do readers.append(one.name) -%}{%- endfor -%}
{%- if not readers -%}
{%- do sqlmetrics.refuse(macro, role ~ ' has no meaning for ' ~ names | join(', ') ~ ': leave it out') -%}
{%- endif -%}
{%- if role != 'score' -%}{%- do given.update({role: sqlmetrics.role_value(macro, role, value)}) -%}{%- endif -%}
{%- endfor -%}
{%- for pair in [['label', 'positives'], ['score', 'rank'], ['weight', 'positives']] -%}
{%- if roles.get(pair[0]) is not none and roles.get(pair[1]) is not none -%}
{%- do sqlmetrics.refuse(macro, 'give ' ~ pair[0] ~ ' or ' ~ pair[1] ~ ', not both') -%}
{%- endif -%}
{%- endfor -%}
{%- if ('positives' in given) != ('total' in given) -%}
{%- do sqlmetrics.refuse(macro, 'positives and total go together: the positive rows and all rows behind each row') -%}
{%- endif -%}
{{ return(given) }}
{%- endmacro -%}

{#- The scores compared; a single one is no model but the score itself. -#}
{%- macro models_of(macro, score) -%}
{%- set models = [] -%}
{%- set taken = [] -%}
{%- if score is none -%}
{%- elif sqlmetrics.is_list(score) and score | length != 1 -%}
{%- if not score -%}
{%- do sqlmetrics.refuse(macro, 'score is an empty list') -%}
{%- endif -%}
{%- for value in score -%}
{%- set model = sqlmetrics.named_value(macro, 'score', value) -%}
{%- if model.name in taken -%}
{%- do sqlmetrics.refuse(macro, "score: '" ~ model.name ~ "' is named twice") -%}
{%- endif -%}
{%- do taken.append(model.name) -%}
{%- do models.append(model) -%}
{%- endfor -%}
{%- else -%}
{%- do models.append(sqlmetrics.role_value(macro, 'score', score[0] if sqlmetrics.is_list(score) else score)) -%}
{%- endif -%}
{{ return(models) }}
{%- endmacro -%}

{#- Canonical columns that stand for more than one column of the user's: which, is told by a parameter. -#}
{%- macro computed_columns(macro, asked, given) -%}
{%- set computed = {} -%}
{%- for one in asked -%}
{%- for name, column in (one.parameters['scores'] or {}).items() -%}
{%- set value = sqlmetrics.role_value(macro, one.name ~ ': scores', column) -%}
{%- do value.update({'class': name}) -%}
{%- do computed.update({'class_score_' ~ loop.index ~ '_' ~ one.name: value}) -%}
{%- endfor -%}
{%- if 'p_price' in one.metric.extra_roles -%}
{%- set mass = {'mode': one.parameters.mode} -%}
{%- for role in ['won', 'p_price', 'p_survive'] if role in given -%}{%- do mass.update({role: given[role]}) -%}{%- endfor -%}
{%- do computed.update({'price_mass_' ~ one.parameters.mode: mass}) -%}
{%- endif -%}
{%- endfor -%}
{{ return(computed) }}
{%- endmacro -%}

{%- macro need(macro, one, given, role, why='') -%}
{%- if role not in given -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ' needs ' ~ role ~ why ~ ': ' ~ sqlmetrics.known_roles()[role]) -%}
{%- endif -%}
{%- endmacro -%}

{#- What a metric takes for the truth: with a prediction, accuracy is about classes. -#}
{%- macro truth_of(one, given) -%}
{%- if one.metric.truth == 'binary or class' -%}
{{ return('class' if 'prediction' in given else 'binary') }}
{%- endif -%}
{{ return(one.metric.truth) }}
{%- endmacro -%}

{#- The canonical columns without which a row does not count for a metric. -#}
{%- macro required_columns(macro, one, given, several_scores, judged) -%}
{%- set metric = one.metric -%}
{%- set truth = sqlmetrics.truth_of(one, given) -%}
{%- set requires = [] -%}
{%- for need in metric.needs -%}
{%- if one.parameters[need.parameter] | string == need.value -%}
{%- for role in need.roles -%}
{%- do sqlmetrics.need(macro, one, given, role, ' with ' ~ need.parameter ~ "='" ~ need.value ~ "'") -%}
{%- endfor -%}
{%- endif -%}
{%- endfor -%}
{%- for role, always in metric.extra_roles.items() -%}
{%- if always -%}{%- do sqlmetrics.need(macro, one, given, role) -%}{%- endif -%}
{%- if role == 'item' and role in given -%}{%- do requires.append('item_id') -%}{%- endif -%}
{%- if role == 'field' and role in given -%}{%- do requires.append('field_id') -%}{%- endif -%}
{%- endfor -%}
{%- if 'p_price' in metric.extra_roles -%}
{%- do requires.append('price_mass_' ~ one.parameters.mode) -%}
{%- if one.parameters.mode != 'observed' -%}{%- do requires.append('won') -%}{%- endif -%}
{%- endif -%}
{%- if truth == 'class' -%}
{%- do sqlmetrics.need(macro, one, given, 'label') -%}
{%- do requires.append('label_class') -%}
{%- if metric.score is not none -%}
{%- do sqlmetrics.need(macro, one, given, 'prediction') -%}
{%- do requires.append('predicted_class') -%}
{%- endif -%}
{%- for column in sqlmetrics.computed_columns(macro, [one], given) if column.startswith('class_score') -%}
{%- do requires.append(column) -%}
{%- endfor -%}
{%- elif truth is none -%}
{%- elif truth == 'binary' and 'positives' in given -%}
{%- do requires.append('positives') -%}
{%- do requires.append('total') -%}
{%- elif judged and metric.truth == 'relevance' -%}
{%- do sqlmetrics.need(macro, one, given, 'label') -%}
{%- do sqlmetrics.need(macro, one, given, 'item', ' with judgments') -%}
{%- do requires.append('item_id') -%}
{%- else -%}
{%- if 'label' not in given -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ' needs label' ~ (' (or positives and total)' if truth == 'binary' else '') ~ ': ' ~ sqlmetrics.known_roles()['label']) -%}
{%- endif -%}
{%- do requires.append('label') -%}
{%- endif -%}
{%- if metric.score == 'threshold' and 'prediction' in given -%}
{%- if truth != 'class' -%}{%- do requires.append('prediction') -%}{%- endif -%}
{%- elif metric.score is not none and truth != 'class' -%}
{%- if 'rank' in metric.roles and 'rank' in given -%}
{%- do requires.append('negated_rank') -%}
{%- elif several_scores or 'score' in given -%}
{%- do requires.append('score') -%}
{%- else -%}
{%- set other = ' (or prediction)' if metric.score == 'threshold' else ' (or rank)' if 'rank' in metric.roles else '' -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ' needs score' ~ other ~ ': ' ~ sqlmetrics.known_roles()['score']) -%}
{%- endif -%}
{%- endif -%}
{%- if 'weight' in given and 'weight' in metric.roles -%}{%- do requires.append('weight') -%}{%- endif -%}
{%- if metric.grouped -%}
{%- do sqlmetrics.need(macro, one, given, 'group', ' with judgments' if judged else '') -%}
{%- do requires.append('group_id') -%}
{%- endif -%}
{%- if 'group_weight' in given and 'group_weight' in metric.roles -%}{%- do requires.append('group_weight') -%}{%- endif -%}
{{ return(requires) }}
{%- endmacro -%}

{#- The canonical columns that the frames read, `pos` standing for pos and neg. -#}
{%- macro derived_columns(asked, needed, required, several_scores, judged) -%}
{%- set truths = [] -%}
{%- for one in asked -%}{%- do truths.append(one.metric.truth) -%}{%- endfor -%}
{%- set derived = [] -%}
{%- if ('binary' in truths or 'binary or class' in truths) and ('label' in needed or 'total' in needed) -%}
{%- do derived.append('pos') -%}
{%- endif -%}
{%- set graded_rows = [] -%}
{%- for one in asked if one.metric.truth == 'relevance' and not (judged and 'judgments' in one.metric.relations) -%}
{%- do graded_rows.append(one.metric.name) -%}
{%- endfor -%}
{%- if 'number' in truths or graded_rows -%}{%- do derived.append('label') -%}{%- endif -%}
{%- for name in needed -%}
{%- if name == 'negated_rank' -%}{%- do derived.append('score') -%}
{%- elif name not in ['label', 'positives', 'total', 'weight'] or (name not in required and name not in derived) -%}
{%- do derived.append(name) -%}
{%- endif -%}
{%- endfor -%}
{%- if several_scores and 'score' not in derived -%}{%- do derived.append('score') -%}{%- endif -%}
{%- if ('number' in truths or 'class' in truths or 'label_class' in needed) and 'weight' not in derived -%}
{%- do derived.append('weight') -%}
{%- endif -%}
{{ return(derived) }}
{%- endmacro -%}

{%- macro template_metric(macro, one, requires, given, judged) -%}
{%- set metric = one.metric -%}
{%- set columns = [] -%}
{%- for name, shown in one.columns.items() -%}
{%- if metric.table and name == 'group' -%}
{%- do columns.append({'name': 'group_id', 'as': given['group']['column'] if 'column' in given['group'] else 'group'}) -%}
{%- else -%}
{%- do columns.append({'name': name, 'as': shown}) -%}
{%- endif -%}
{%- endfor -%}
{#- The columns of a metric in the table of groups: its value, or the counts that are pooled over groups. -#}
{%- set group_columns = [] -%}
{%- for pooled in metric.group_columns if one.parameters[pooled.parameter] | string == pooled.value -%}
{%- for name in pooled['columns'] -%}{%- do group_columns.append({'name': name, 'as': one.name ~ '_' ~ name}) -%}{%- endfor -%}
{%- endfor -%}
{%- if not group_columns -%}{%- do group_columns.append({'name': metric.name, 'as': one.name}) -%}{%- endif -%}
{%- set class_scores = [] -%}
{%- for name, value in sqlmetrics.computed_columns(macro, [one], given).items() if 'class' in value -%}
{%- do class_scores.append({'class': value['class'], 'column': name}) -%}
{%- endfor -%}
{%- set needed = [] -%}
{%- for name in requires -%}{%- do needed.append('score' if name == 'negated_rank' else name) -%}{%- endfor -%}
{%- set m = {
    'name': metric.name,
    'as': one.name,
    'columns': columns,
    'group_columns': group_columns,
    'names': one.columns,
    'frames': metric.frames,
    'frame_parameters': metric.frame_parameters | list,
    'truth': sqlmetrics.truth_of(one, given),
    'requires': needed,
    'group_weight': 'group_weight' in requires,
    'judged': judged and 'judgments' in metric.relations,
    'query': metric.query,
    'has_value': metric.has_value,
    'class_scores': class_scores,
    'uses': metric.uses,
    'order': metric.order,
} -%}
{%- do m.update(metric.frame_parameters) -%}
{%- do m.update(one.parameters) -%}
{{ return(m) }}
{%- endmacro -%}

{#- The slice columns, and the groupings where several are asked for. -#}
{%- macro groupings_of(macro, by) -%}
{%- set wanted = [] if by is none else by if sqlmetrics.is_list(by) else [by] -%}
{%- set lists = [] -%}
{%- for entry in wanted if sqlmetrics.is_list(entry) -%}{%- do lists.append(entry) -%}{%- endfor -%}
{%- if lists and lists | length < wanted | length -%}
{%- do sqlmetrics.refuse(macro, 'by is a list of columns, or a list of such lists; not a mixture') -%}
{%- endif -%}
{%- set entries = [] -%}
{%- set names = [] -%}
{%- set groupings = [] -%}
{%- set titles = [] -%}
{%- for grouping in lists or [wanted] -%}
{%- set columns = [] -%}
{%- set shown = [] -%}
{%- for value in grouping -%}
{%- set entry = sqlmetrics.named_value(macro, 'by', value) -%}
{%- if entry not in entries -%}
{%- if entry.name | lower in names -%}
{%- do sqlmetrics.refuse(macro, "by: two slices would be called '" ~ entry.name ~ "'") -%}
{%- endif -%}
{%- do entries.append(entry) -%}
{%- do names.append(entry.name | lower) -%}
{%- endif -%}
{%- for known in entries -%}
{%- if known == entry -%}
{%- if loop.index in columns -%}{%- do sqlmetrics.refuse(macro, 'by: a column is named twice') -%}{%- endif -%}
{%- do columns.append(loop.index) -%}
{%- endif -%}
{%- endfor -%}
{%- do shown.append(entry.name) -%}
{%- endfor -%}
{%- if shown | join(', ') in titles -%}
{%- do sqlmetrics.refuse(macro, 'by: the same grouping is named twice') -%}
{%- endif -%}
{%- do titles.append(shown | join(', ')) -%}
{%- do groupings.append({'id': loop.index, 'name': shown | join(', ') or 'overall', 'columns': columns}) -%}
{%- endfor -%}
{{ return({'entries': entries, 'groupings': groupings if lists else []}) }}
{%- endmacro -%}

{#- The slices that there are without any row: those of no column, once for each model. -#}
{%- macro fixed_slices(slicing, models) -%}
{%- set alone = [] -%}
{%- for grouping in slicing.groupings if not grouping.columns -%}{%- do alone.append([grouping.id | string]) -%}{%- endfor -%}
{%- if not slicing.groupings and not slicing.entries -%}{%- do alone.append([]) -%}{%- endif -%}
{%- set fixed = [] -%}
{%- for grouping in alone -%}
{%- set blank = [] -%}
{%- for entry in slicing.entries -%}{%- do blank.append('null') -%}{%- endfor -%}
{%- for model in models -%}
{%- do fixed.append(grouping + blank + [loop.index | string]) -%}
{%- endfor -%}
{%- if not models and grouping + blank -%}{%- do fixed.append(grouping + blank) -%}{%- endif -%}
{%- endfor -%}
{{ return(fixed) }}
{%- endmacro -%}

{%- macro check_names(macro, asked, entries, groupings, models) -%}
{%- set reserved = ['n'] + (['grouping'] if groupings else []) + (['model'] if models else []) -%}
{%- set columns = [] -%}
{%- for one in asked -%}
{%- for shown in one.columns.values() -%}
{%- if shown | lower in reserved and not one.metric.table -%}
{%- do sqlmetrics.refuse(macro, "metrics: '" ~ shown ~ "' is the name of a column of every result") -%}
{%- endif -%}
{%- do columns.append(shown | lower) -%}
{%- endfor -%}
{%- endfor -%}
{%- for entry in entries if entry.name | lower in columns or entry.name | lower in reserved -%}
{%- do sqlmetrics.refuse(macro, "by: the slice '" ~ entry.name ~ "' has the name of another column of the result; name it as in by=['my_name = " ~ entry.name ~ "']") -%}
{%- endfor -%}
{%- endmacro -%}

{%- macro plan_title(names, slicing, relation) -%}
{%- set slices = [] -%}
{%- for grouping in slicing.groupings -%}{%- do slices.append(grouping.name) -%}{%- endfor -%}
{%- if slices -%}
{{ return(names | join(', ') ~ ' of ' ~ relation ~ ', by ' ~ slices | join(' | ')) }}
{%- endif -%}
{%- for entry in slicing.entries -%}{%- do slices.append(entry.name) -%}{%- endfor -%}
{{ return(names | join(', ') ~ ' of ' ~ relation ~ (', by ' ~ slices | join(', ') if slices else '')) }}
{%- endmacro -%}
