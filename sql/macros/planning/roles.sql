{#- Which columns of the user's are read, under which canonical names, and without which of them a row does not count. -#}

{#- The roles given, each meant for some metric; a single score is one of them, several are models. -#}
{%- macro roles_given(macro, requested, roles, models) -%}
{%- set given = {} -%}
{%- for one in requested if one.metric.no_weight and roles.get('weight') is not none -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ' takes no ⟨weight⟩: ' ~ one.metric.no_weight) -%}
{%- endfor -%}
{%- for role, value in roles.items() if value is not none -%}
{%- if role not in sqlmetrics.known_roles() -%}
{%- do sqlmetrics.refuse(macro, "there is no role '" ~ role ~ "'", 'BadParameter', role, sqlmetrics.known_roles() | list) -%}
{%- endif -%}
{%- set readers = [] -%}
{%- for one in requested if role in one.metric.roles -%}{%- do readers.append(one.name) -%}{%- endfor -%}
{%- if not readers -%}
{%- do sqlmetrics.refuse_unread(macro, role, requested) -%}
{%- endif -%}
{%- if role != 'score' -%}
{%- do given.update({role: sqlmetrics.role_value(macro, role, value)}) -%}
{%- elif models | length == 1 -%}
{%- do given.update({role: models[0]}) -%}
{%- endif -%}
{%- endfor -%}
{%- for pair in [['label', 'positives'], ['score', 'rank'], ['weight', 'positives']] if pair[0] in given and pair[1] in given -%}
{%- do sqlmetrics.refuse(macro, 'give ⟨' ~ pair[0] ~ '⟩ or ⟨' ~ pair[1] ~ '⟩, not both') -%}
{%- endfor -%}
{%- if models | length > 1 and 'rank' in given -%}
{%- do sqlmetrics.refuse(macro, 'give ⟨score⟩ or ⟨rank⟩, not both') -%}
{%- endif -%}
{%- if ('positives' in given) != ('total' in given) -%}
{%- do sqlmetrics.refuse(macro, 'positives and ⟨total⟩ go together: the positive rows and all rows behind each row') -%}
{%- endif -%}
{%- for one in requested if 'total' in given and 'weight' in one.metric.roles and not ('total' in one.metric.roles or 'label' in one.metric.roles) -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ' takes no ⟨positives⟩ and ⟨total⟩, and would count as one row what stands for several; ask for it by itself, with the total as ⟨weight⟩') -%}
{%- endfor -%}
{%- for one in requested if one.parameters.get('ties') == 'key' or one.metric.extra_roles.get('item') -%}
{%- if 'tie_key' not in given and 'item' not in given -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ': ' ~ sqlmetrics.setting_words(one, 'ties') ~ ' needs the role ⟨tie_key⟩ (or ⟨item⟩)') -%}
{%- elif 'tie_key' not in given -%}
{%- do given.update({'tie_key': given['item']}) -%}
{%- endif -%}
{%- endfor -%}
{{ return(given) }}
{%- endmacro -%}

{#- A role or a relation that none of the metrics reads, and what may be meant by it. -#}
{%- macro refuse_unread(macro, name, requested) -%}
{%- set weighed = [] -%}
{%- for one in requested if 'group_weight' in one.metric.roles -%}{%- do weighed.append(one.name) -%}{%- endfor -%}
{%- set instead = '' -%}
{%- if name == 'weight' and weighed -%}
{%- set instead = ', or give ⟨group_weight⟩, the weight of a whole group' -%}
{%- elif name == 'judgments' -%}
{%- set instead = '; to read labels from another relation, join the two in a query and give that as the data' -%}
{%- endif -%}
{%- do sqlmetrics.refuse(macro, name ~ ' has no meaning for ' ~ (sqlmetrics.names_of(requested) | join(', ') or 'a state of scores') ~ ': leave it out' ~ instead) -%}
{%- endmacro -%}

{#- The scores, each with the name under which it is compared. -#}
{%- macro models_of(macro, score) -%}
{%- set scores = [] if score is none else score if sqlmetrics.is_list(score) else [score] -%}
{%- if score is not none and not scores -%}
{%- do sqlmetrics.refuse(macro, 'score is an empty list') -%}
{%- elif scores | length == 1 -%}
{#- Alone it has no use for a name. -#}
{%- set only = sqlmetrics.named_value(macro, 'score', scores[0]) -%}
{{ return([{'sql': only.sql} if 'sql' in only else {'column': only.column}]) }}
{%- endif -%}
{%- set models = [] -%}
{%- for value in scores -%}
{%- set model = sqlmetrics.named_value(macro, 'score', value) -%}
{%- if model.name in sqlmetrics.names_of(models) -%}
{%- do sqlmetrics.refuse(macro, "score: '" ~ model.name ~ "' is named twice") -%}
{%- endif -%}
{%- do models.append(model) -%}
{%- endfor -%}
{{ return(models) }}
{%- endmacro -%}

{#- Canonical columns that a metric makes of more than one column of the user's, or of as many as a parameter says. -#}
{%- macro computed_columns(macro, requested, given) -%}
{%- set computed = {} -%}
{%- for one in requested -%}
{%- set place = loop.index -%}
{%- for parameter, kind in {'scores': 'class', 'quantiles': 'level'}.items() -%}
{%- for name, column in (one.parameters.get(parameter) or {}).items() -%}
{%- set value = sqlmetrics.role_value(macro, one.name ~ ': ' ~ parameter, column) -%}
{%- do value.update({kind: sqlmetrics.level_of(name) if kind == 'level' else name, 'metric': one.name, 'parameter': parameter}) -%}
{%- do computed.update({{'scores': 'class_score_', 'quantiles': 'quantile_'}[parameter] ~ place ~ '_' ~ loop.index: value}) -%}
{%- endfor -%}
{%- endfor -%}
{%- for name, computation in one.metric.computed.items() -%}
{%- set parts = {} -%}
{%- for role in computation.roles if role in given -%}{%- do parts.update({role: given[role]}) -%}{%- endfor -%}
{%- set variant = one.parameters[computation.by] -%}
{%- do computed.update({name ~ '_' ~ variant: {'computed_by': one.metric.name, 'by': computation.by, 'variant': variant, 'parts': parts}}) -%}
{%- endfor -%}
{%- endfor -%}
{{ return(computed) }}
{%- endmacro -%}

{#- The names of those that one metric reads. -#}
{%- macro computed_columns_of(one, computed) -%}
{%- set names = [] -%}
{%- for name, column in computed.items() -%}
{%- if column.metric is defined and column.metric == one.name -%}
{%- do names.append(name) -%}
{%- elif column.computed_by is defined and column.computed_by == one.metric.name and column.variant == one.parameters[column.by] -%}
{%- do names.append(name) -%}
{%- endif -%}
{%- endfor -%}
{{ return(names) }}
{%- endmacro -%}

{#- What a metric takes for the truth: with a prediction, accuracy is about classes, but for pre-aggregated rows. -#}
{%- macro truth_of(one, given) -%}
{%- if one.metric.truth == 'binary or class' -%}
{{ return('class' if 'prediction' in given and 'positives' not in given else 'binary') }}
{%- endif -%}
{{ return(one.metric.truth) }}
{%- endmacro -%}

{%- macro need(macro, one, given, role, why='') -%}
{%- if role not in given -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ' needs ⟨' ~ role ~ '⟩' ~ why ~ ': ' ~ sqlmetrics.known_roles()[role]) -%}
{%- endif -%}
{%- endmacro -%}

{#- The canonical columns without which a row does not count for a metric. -#}
{%- macro columns_required(macro, one, given, computed, models, relations) -%}
{%- set judged = 'judgments' in relations -%}
{%- set metric = one.metric -%}
{%- set truth = sqlmetrics.truth_of(one, given) -%}
{%- set requires = sqlmetrics.own_columns_required(macro, one, given, computed, judged) -%}
{%- if truth == 'class' -%}
{%- do sqlmetrics.need(macro, one, given, 'label') -%}
{%- do requires.append('label_class') -%}
{%- if metric.score is not none -%}
{%- do sqlmetrics.need(macro, one, given, 'prediction') -%}
{%- do requires.append('predicted_class') -%}
{%- endif -%}
{%- elif truth == 'binary' and 'positives' in given -%}
{%- do requires.extend(['positives', 'total']) -%}
{%- elif judged and 'judgments' in metric.relations -%}
{%- do sqlmetrics.need(macro, one, given, 'label') -%}
{%- do sqlmetrics.need(macro, one, given, 'item', ' with ⟨judgments⟩') -%}
{%- if 'item_id' not in requires -%}{%- do requires.append('item_id') -%}{%- endif -%}
{%- elif truth is not none -%}
{%- do sqlmetrics.need(macro, one, given, 'label', ' (or ⟨positives⟩ and ⟨total⟩)' if truth == 'binary' else '') -%}
{%- do requires.append('label') -%}
{%- endif -%}
{%- if metric.score is not none and truth != 'class' -%}
{%- if metric.score == 'threshold' and 'prediction' in given -%}
{%- do requires.append('prediction') -%}
{%- elif 'rank' in metric.roles and 'rank' in given -%}
{%- do requires.append('negated_rank') -%}
{%- else -%}
{%- if not models -%}
{%- do sqlmetrics.need(macro, one, given, 'score', ' (or ⟨prediction⟩)' if metric.score == 'threshold' else ' (or ⟨rank⟩)' if 'rank' in metric.roles else '') -%}
{%- endif -%}
{%- do requires.append('score') -%}
{%- endif -%}
{%- endif -%}
{%- if 'weight' in given and 'weight' in metric.roles -%}{%- do requires.append('weight') -%}{%- endif -%}
{%- if metric.grouped -%}
{%- do sqlmetrics.need(macro, one, given, 'group', ' with ⟨judgments⟩' if judged and 'judgments' in metric.relations else '') -%}
{%- do requires.append('group_id') -%}
{%- endif -%}
{%- if 'group_weight' in given and 'group_weight' in metric.roles -%}{%- do requires.append('group_weight') -%}{%- endif -%}
{%- if 'propensities' in metric.relations -%}
{%- do sqlmetrics.check_propensity(macro, one, given, relations) -%}
{%- do requires.append('propensity') -%}
{%- endif -%}
{{ return(requires) }}
{%- endmacro -%}

{#- A column, or the place of a row and a relation that tells what such a place has. -#}
{%- macro check_propensity(macro, one, given, relations) -%}
{%- if 'propensities' in relations -%}
{%- do sqlmetrics.need(macro, one, given, 'position', ' with ⟨propensities⟩') -%}
{%- if 'propensity' in given -%}
{%- do sqlmetrics.refuse(macro, 'give ⟨propensity⟩, or ⟨position⟩ and ⟨propensities⟩, not both') -%}
{%- endif -%}
{%- else -%}
{%- if 'position' in given -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ' needs ⟨propensities⟩ with ⟨position⟩: ' ~ sqlmetrics.known_relations().propensities) -%}
{%- endif -%}
{%- do sqlmetrics.need(macro, one, given, 'propensity', ' (or position and propensities)') -%}
{%- endif -%}
{%- endmacro -%}

{#- Canonical columns that a further relation tells of a row, by what the row has. -#}
{%- macro columns_looked_up(given, relations) -%}
{{ return({'propensity': {'looked_up': 'propensities', 'by': 'position', 'parts': {'position': given.position}}} if 'propensities' in relations else {}) }}
{%- endmacro -%}

{#- Of these, the columns of the roles that a metric file names itself, and of what it computes. -#}
{%- macro own_columns_required(macro, one, given, computed, judged) -%}
{%- set metric = one.metric -%}
{%- set requires = [] -%}
{%- set sometimes = [] -%}
{%- for need in metric.needs -%}
{%- for role in need.roles -%}
{%- if one.parameters[need.parameter] | string == need.value -%}
{%- do sqlmetrics.need(macro, one, given, role, ' with ' ~ need.parameter ~ '=' ~ sqlmetrics.shown(need.value)) -%}
{%- elif role not in sometimes -%}
{%- do sometimes.append(role) -%}
{%- endif -%}
{%- endfor -%}
{%- endfor -%}
{%- for role, always in metric.extra_roles.items() -%}
{%- if always -%}{%- do sqlmetrics.need(macro, one, given, role) -%}{%- endif -%}
{%- set always_or_now = namespace(value=role not in sometimes) -%}
{%- for need in metric.needs if role in need.roles and one.parameters[need.parameter] | string == need.value -%}
{%- set always_or_now.value = true -%}
{%- endfor -%}
{#- The subtopics of judged items are those of the judgments. -#}
{%- set told = judged and role == 'subtopic' and 'judgments' in metric.relations -%}
{%- for column, column_role in sqlmetrics.column_roles().items() if column_role == role and role in given and always_or_now.value and not told -%}
{%- do requires.append(column) -%}
{%- endfor -%}
{%- endfor -%}
{%- for name in sqlmetrics.computed_columns_of(one, computed) -%}{%- do requires.append(name) -%}{%- endfor -%}
{{ return(requires) }}
{%- endmacro -%}

{#- What may be missing in a row that holds a place of a list: without the row, those below would move up. -#}
{%- macro columns_in_places(frame) -%}
{{ return({'slates': ['reward', 'propensity', 'target'], 'subtopic_items': ['subtopic_id']}.get(frame, [])) }}
{%- endmacro -%}

{#- The name of a canonical column from `source` on: a rank is a score that falls. -#}
{%- macro source_name(name) -%}
{{ return('score' if name == 'negated_rank' else name) }}
{%- endmacro -%}

{#- The canonical columns that some metric needs, with the user's column or expression for each, and those that all need. -#}
{%- macro columns_read(requested, requires, given, computed) -%}
{%- set names = [] -%}
{%- set required = [] -%}
{%- for name in sqlmetrics.distinct((sqlmetrics.column_roles() | list) + (computed | list)) -%}
{%- set readers = [] -%}
{%- for columns in requires if name in columns -%}{%- do readers.append(name) -%}{%- endfor -%}
{%- if readers -%}{%- do names.append(name) -%}{%- endif -%}
{%- set in_places = [] -%}
{%- for one in requested if name in sqlmetrics.columns_in_places(one.metric.frames[-1]) -%}{%- do in_places.append(name) -%}{%- endfor -%}
{%- if readers | length == requires | length and not in_places -%}{%- do required.append(sqlmetrics.source_name(name)) -%}{%- endif -%}
{%- endfor -%}
{%- for one in requested if 'tie_key' in given and 'tie_key' in one.metric.roles and 'tie_key' not in names -%}
{%- do names.append('tie_key') -%}
{%- endfor -%}
{%- set columns = {} -%}
{%- for name in names -%}
{%- if name in computed -%}
{%- do columns.update({name: computed[name]}) -%}
{%- elif sqlmetrics.column_roles()[name] in given -%}
{%- do columns.update({name: given[sqlmetrics.column_roles()[name]]}) -%}
{%- endif -%}
{%- endfor -%}
{{ return({'names': names, 'columns': columns, 'required': required}) }}
{%- endmacro -%}

{#- The canonical columns that the frames read, `pos` standing for pos and neg. A column that only some metrics need is read by
    their frames once more, to leave out the rows without it. -#}
{%- macro columns_derived(requested, read, models, judged) -%}
{%- set truths = [] -%}
{%- set graded_rows = [] -%}
{%- for one in requested -%}
{%- do truths.append(one.metric.truth) -%}
{%- if one.metric.truth in ['relevance', 'ranking'] and not (judged and 'judgments' in one.metric.relations) -%}{%- do graded_rows.append(one.name) -%}{%- endif -%}
{%- endfor -%}
{%- set derived = [] -%}
{%- if ('binary' in truths or 'binary or class' in truths) and ('label' in read.names or 'total' in read.names) -%}
{%- do derived.append('pos') -%}
{%- endif -%}
{%- if 'number' in truths or graded_rows -%}{%- do derived.append('label') -%}{%- endif -%}
{%- for name in read.names -%}
{%- if name not in ['label', 'positives', 'total', 'weight'] or (name not in read.required and name not in derived) -%}
{%- do derived.append(sqlmetrics.source_name(name)) -%}
{%- endif -%}
{%- endfor -%}
{%- if models and 'score' not in derived -%}{%- do derived.append('score') -%}{%- endif -%}
{%- for one in requested if 'weight' in one.metric.roles and 'weight' not in derived -%}
{%- if one.metric.truth in ['number', 'class', none] or 'label_class' in read.names -%}{%- do derived.append('weight') -%}{%- endif -%}
{%- endfor -%}
{{ return(derived) }}
{%- endmacro -%}
