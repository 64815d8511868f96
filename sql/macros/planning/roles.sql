{#- The user's columns, their canonical names, and which of them a valid row requires. -#}

{#- The given roles, each used by some metric. A single score is a role, several scores are models. -#}
{%- macro bound_roles_of(macro, requested, roles, models) -%}
{%- set given = sqlmetrics.passed(roles) -%}
{%- for metric_call in requested -%}
{%- set metric = metric_call.metric -%}
{%- set unaware = 'weight' in metric.roles and 'total' not in metric.roles and 'label' not in metric.roles -%}
{%- set by_key = metric_call.parameters.get('ties') == 'key' and 'tie_key' not in given and 'item' not in given -%}
{%- do sqlmetrics.check_rules(macro, [
    ['weight' in given and metric.no_weight, metric_call.name ~ ' takes no ⟨weight⟩: ' ~ metric.no_weight],
    ['total' in given and unaware, metric_call.name ~ ' does not support ⟨positives⟩ and ⟨total⟩; request it in a call of its own, with the total as ⟨weight⟩'],
    [by_key, metric_call.name ~ ': ' ~ (sqlmetrics.setting_words(metric_call, 'ties') if by_key) ~ ' needs the role ⟨tie_key⟩ (or ⟨item⟩)'],
]) -%}
{%- endfor -%}
{%- set bound_roles = {} -%}
{%- for role in given -%}
{%- if not sqlmetrics.readers_of(role, requested) -%}{%- do sqlmetrics.raise_unread(macro, role, requested) -%}{%- endif -%}
{%- set value = models[0] if role == 'score' else sqlmetrics.role_value(macro, role, roles[role]) -%}
{%- if role != 'score' or models | length == 1 -%}{%- do bound_roles.update({role: value}) -%}{%- endif -%}
{%- endfor -%}
{%- do sqlmetrics.check_rules(macro, [
    ['score' in given and not models, 'score is an empty list'],
    ['label' in given and 'positives' in given, 'give ⟨label⟩ or ⟨positives⟩, not both'],
    [models and 'rank' in given, 'give ⟨score⟩ or ⟨rank⟩, not both'],
    ['weight' in given and 'positives' in given, 'give ⟨weight⟩ or ⟨positives⟩, not both'],
    [('positives' in given) != ('total' in given), 'positives and ⟨total⟩ require each other: the positive rows and all rows behind each row'],
]) -%}
{%- for metric_call in (requested if 'item' in given else []) if metric_call.parameters.get('ties') == 'key' or metric_call.metric.extra_roles.get('item') -%}
{{ return(dict({'tie_key': bound_roles['item']}, **bound_roles)) }}
{%- endfor -%}
{{ return(bound_roles) }}
{%- endmacro -%}

{#- Rejects a role or relation that no metric reads, with a suggestion. -#}
{%- macro raise_unread(macro, name, requested) -%}
{%- set instead = {
    'weight': ', or pass ⟨group_weight⟩, the weight of a whole group' if sqlmetrics.readers_of('group_weight', requested) else '',
    'judgments': '; to read labels from another relation, pass a query that joins both as the data',
}.get(name, '') -%}
{%- do sqlmetrics.raise_error(macro, name ~ ' is not used by ' ~ (sqlmetrics.names_of(requested) | join(', ') or 'a state of scores') ~ '; remove it' ~ instead) -%}
{%- endmacro -%}

{#- The scores with their names in a comparison. A single score has no name. -#}
{%- macro models_of(macro, score) -%}
{%- set models = [] -%}
{%- for value in sqlmetrics.as_list(score) -%}
{%- set model = sqlmetrics.named_value(macro, 'score', value) -%}
{%- do sqlmetrics.check_rules(macro, [[model.name in sqlmetrics.names_of(models), "score: '" ~ model.name ~ "' is named twice"]]) -%}
{%- do models.append(model) -%}
{%- endfor -%}
{{ return([sqlmetrics.entries_of(models[0], ['column', 'sql'])] if models | length == 1 else models) }}
{%- endmacro -%}

{#- Canonical columns that a metric computes from several columns, or reads by a parameter (`scores`, `quantiles`), with the metrics
    that read them. -#}
{%- macro computed_columns(macro, requested, bound_roles) -%}
{%- set computed = {} -%}
{%- for metric_call in requested -%}
{%- set own = {} -%}
{%- set metric_index = loop.index -%}
{%- for parameter, prefix in {'scores': 'class_score_', 'quantiles': 'quantile_'}.items() -%}
{%- for name, column in (metric_call.parameters.get(parameter) or {}).items() -%}
{%- set value = dict(sqlmetrics.role_value(macro, metric_call.name ~ ': ' ~ parameter, column), parameter=parameter) -%}
{%- do own.update({prefix ~ metric_index ~ '_' ~ loop.index: dict(value, class=name) if parameter == 'scores' else dict(value, level=sqlmetrics.level_of(name))}) -%}
{%- endfor -%}
{%- endfor -%}
{%- for name, computation in metric_call.metric.computed.items() -%}
{%- set variant = metric_call.parameters[computation.by] -%}
{%- set parts = sqlmetrics.entries_of(bound_roles, computation.roles) -%}
{%- do own.update({name ~ '_' ~ variant: {'computed_by': metric_call.metric.name, 'variant': variant, 'parts': parts}}) -%}
{%- endfor -%}
{%- for name, column in own.items() -%}{%- do computed.setdefault(name, dict(column, readers=[])).readers.append(metric_call.name) -%}{%- endfor -%}
{%- endfor -%}
{{ return(computed) }}
{%- endmacro -%}

{#- The label type of a metric. With a prediction, accuracy compares classes, except for pre-aggregated rows. -#}
{%- macro label_type_of(metric_call, bound_roles) -%}
{%- set of_classes = 'prediction' in bound_roles and 'positives' not in bound_roles -%}
{{ return(metric_call.metric.label_type if metric_call.metric.label_type != 'binary or class' else 'class' if of_classes else 'binary') }}
{%- endmacro -%}

{%- macro need(macro, metric_call, bound_roles, role, why='') -%}
{%- do sqlmetrics.check_rules(macro, [[role not in bound_roles, metric_call.name ~ ' needs ⟨' ~ role ~ '⟩' ~ why ~ ': ' ~ sqlmetrics.known_roles()[role]]]) -%}
{%- endmacro -%}

{#- The canonical columns that a metric requires in a row. `needs` lists [whether it applies, the role, its column, a note for errors].
    A propensity is a column, or is joined by the position of a row. -#}
{%- macro columns_required(macro, metric_call, bound_roles, computed, models, relations) -%}
{%- set metric = metric_call.metric -%}
{%- set label_type = sqlmetrics.label_type_of(metric_call, bound_roles) -%}
{%- set judged = 'judgments' in relations and 'judgments' in metric.relations -%}
{%- set with_judgments = ' with ⟨judgments⟩' if judged else '' -%}
{%- set requires = sqlmetrics.own_columns_required(macro, metric_call, bound_roles, computed, judged) -%}
{%- set of_classes = label_type == 'class' -%}
{%- set aggregated = label_type == 'binary' and 'positives' in bound_roles -%}
{%- set labelled = not of_classes and not aggregated and (judged or label_type is not none) -%}
{%- set scored = metric.score is not none and not of_classes -%}
{%- set predicted = scored and metric.score == 'threshold' and 'prediction' in bound_roles -%}
{%- set ranked = scored and not predicted and 'rank' in metric.roles and 'rank' in bound_roles -%}
{%- set by_position = 'propensities' in metric.relations and 'propensities' in relations -%}
{%- set weighed = 'propensities' in metric.relations and 'propensities' not in relations -%}
{%- set or_counts = ' (or ⟨positives⟩ and ⟨total⟩)' if label_type == 'binary' and not judged else '' -%}
{%- set or_rank = ' (or ⟨prediction⟩)' if metric.score == 'threshold' else ' (or ⟨rank⟩)' if 'rank' in metric.roles else '' -%}
{%- set needs = [
    [of_classes, 'label', 'label_class', ''],
    [of_classes and metric.score is not none, 'prediction', 'predicted_class', ''],
    [aggregated, 'positives', 'positives', ''],
    [aggregated, 'total', 'total', ''],
    [labelled, 'label', none if judged else 'label', or_counts],
    [labelled and judged, 'item', 'item_id', with_judgments],
    [predicted, 'prediction', 'prediction', ''],
    [ranked, 'rank', 'negated_rank', ''],
    [scored and not predicted and not ranked, 'score', 'score', or_rank],
    ['weight' in bound_roles and 'weight' in metric.roles, 'weight', 'weight', ''],
    [metric.grouped, 'group', 'group_id', with_judgments],
    ['group_weight' in bound_roles and 'group_weight' in metric.roles, 'group_weight', 'group_weight', ''],
    [by_position, 'position', 'propensity', ' with ⟨propensities⟩'],
    [weighed and 'position' not in bound_roles, 'propensity', 'propensity', ' (or position and propensities)'],
] -%}
{%- do sqlmetrics.check_rules(macro, [
    [by_position and 'propensity' in bound_roles, 'give ⟨propensity⟩, or ⟨position⟩ and ⟨propensities⟩, not both'],
    [weighed and 'position' in bound_roles, metric_call.name ~ ' needs ⟨propensities⟩ with ⟨position⟩: ' ~ sqlmetrics.known_relations().propensities],
]) -%}
{%- for applies, role, column, why in needs if applies -%}
{%- if role != 'score' or not models -%}{%- do sqlmetrics.need(macro, metric_call, bound_roles, role, why) -%}{%- endif -%}
{%- if column is not none and column not in requires -%}{%- do requires.append(column) -%}{%- endif -%}
{%- endfor -%}
{{ return(requires) }}
{%- endmacro -%}

{#- Required columns of the roles in the metric file, and of its computed columns. -#}
{%- macro own_columns_required(macro, metric_call, bound_roles, computed, judged) -%}
{%- set needed = [] -%}
{%- set sometimes = [] -%}
{%- for need in metric_call.metric.needs -%}
{%- set applies = metric_call.parameters[need.parameter] | string == need.value -%}
{%- do (needed if applies else sometimes).extend(need.roles) -%}
{%- for role in need.roles if applies -%}
{%- do sqlmetrics.need(macro, metric_call, bound_roles, role, ' with ' ~ need.parameter ~ '=' ~ sqlmetrics.shown(need.value)) -%}
{%- endfor -%}
{%- endfor -%}
{%- set requires = [] -%}
{%- for role, always in metric_call.metric.extra_roles.items() -%}
{%- if always -%}{%- do sqlmetrics.need(macro, metric_call, bound_roles, role) -%}{%- endif -%}
{#- Judged items have the subtopics of the judgments. -#}
{%- if role in bound_roles and (role in needed or role not in sometimes) and not (judged and role == 'subtopic') -%}
{%- for column, column_role in sqlmetrics.column_roles().items() if column_role == role -%}{%- do requires.append(column) -%}{%- endfor -%}
{%- endif -%}
{%- endfor -%}
{%- for name, column in computed.items() if metric_call.name in column.readers -%}{%- do requires.append(name) -%}{%- endfor -%}
{{ return(requires) }}
{%- endmacro -%}

{#- Columns that may be NULL in a listed row. Dropping the row would move up the rows below it. -#}
{%- macro columns_of_positions(frame) -%}
{{ return({'slates': ['reward', 'propensity', 'target'], 'subtopic_items': ['subtopic_id']}.get(frame, [])) }}
{%- endmacro -%}

{#- From `source` on, the negated rank is named `score`. -#}
{%- macro source_name(name) -%}{{ return('score' if name == 'negated_rank' else name) }}{%- endmacro -%}

{%- macro source_names(names) -%}{{ return(names | map('replace', 'negated_rank', 'score') | list) }}{%- endmacro -%}

{#- Canonical columns that some metric needs, with the user's columns or expressions, and those that all metrics need. -#}
{%- macro columns_read(requested, requires, bound_roles, computed) -%}
{%- set roles = sqlmetrics.column_roles() -%}
{%- set names = sqlmetrics.distinct((roles | list) + (computed | list)) | select('in', sqlmetrics.flat(requires)) | list -%}
{#- Columns that all metrics need, except those that may be NULL in lists. -#}
{%- set shared = namespace(names=names) -%}
{%- for metric_call in requested -%}
{%- set of_positions = sqlmetrics.columns_of_positions(metric_call.metric.frames[-1]) -%}
{%- set shared.names = shared.names | select('in', requires[loop.index0]) | reject('in', of_positions) | list -%}
{%- endfor -%}
{%- set by_key = 'tie_key' in bound_roles and 'tie_key' not in names and sqlmetrics.readers_of('tie_key', requested) -%}
{%- set names = names + (['tie_key'] if by_key else []) -%}
{%- set columns = {} -%}
{%- for name in names if name in computed or roles[name] in bound_roles -%}
{%- do columns.update({name: computed[name] if name in computed else bound_roles[roles[name]]}) -%}
{%- endfor -%}
{{ return({'names': names, 'columns': columns, 'required': sqlmetrics.source_names(shared.names)}) }}
{%- endmacro -%}

{#- The canonical columns that the frames read; `pos` means `pos` and `neg`. A column that only some metrics need stays, so that their
    frames can drop rows without it. -#}
{%- macro columns_derived(requested, read, models, judged) -%}
{%- set truths = requested | map(attribute='metric.label_type') | list -%}
{#- Judged metrics read labels from the judgments. -#}
{%- set of_rows = requested | reject('in', sqlmetrics.readers_of('judgments', requested) if judged else []) | map(attribute='metric.label_type') | list -%}
{%- set weighed = sqlmetrics.readers_of('weight', requested) | map(attribute='metric.label_type') | list -%}
{%- set binary = ('binary' in truths or 'binary or class' in truths) and ('label' in read.names or 'total' in read.names) -%}
{%- set labelled = 'number' in truths or 'relevance' in of_rows or 'ranking' in of_rows -%}
{%- set own = (['pos'] if binary else []) + (['label'] if labelled else []) -%}
{%- set in_own = ['label', 'positives', 'total', 'weight'] | select('in', read.required + own) | list -%}
{%- set derived = own + sqlmetrics.source_names(read.names | reject('in', in_own)) -%}
{%- set derived = derived + (['score'] if models and 'score' not in derived else []) -%}
{%- set weighs = weighed | select('in', ['number', 'class', none]) | list or (weighed and 'label_class' in read.names) -%}
{{ return(derived + (['weight'] if weighs and 'weight' not in derived else [])) }}
{%- endmacro -%}
