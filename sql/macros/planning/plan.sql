{#- What a call means: from its arguments to the plan that `query` writes as SQL. dbt and the Python runner both come here.

    call.macro          what was called, for the words of an error;  call.relation: the table, sub-query or file scan, as SQL
    call.relation_text  the relation as a reader knows it;  call.input: a query to be named `relation` once, or none
    call.metrics        'auc', 'ndcg@10', {'name': 'ndcg', 'k': 10, 'as': 'mine'}, or a list of such;  call.preset: sklearn, …
    call.roles          role -> a column's name, '= expression', {'column': …} or {'sql': …};  a list of them for the score
    call.relations      further relation -> {'relation': …, 'input': …}
    call.by             slice columns, 'name = expression', or a list of lists of them;  call.where: a condition
    call.shape          one of known_shapes(), or none for the dialect's own
    call.checks         leave out the rows that break a rule for values, and count all
    call.confidence     how sure an interval beside each value is to be, or none;  call.cluster: whose rows belong together
    call.standard_error tell the standard error of each value too
    call.method         jackknife, bootstrap or none;  call.replicates, call.seed: how often the bootstrap draws, and what
    call.comparison     none, or {against, baseline, relative, adjust, power}: how far the other scores are from one of them,
                        or the rows from those of another relation, against: {'relation': …, 'input': …}, or none
    call.round          to how many digits behind the point the values are told, or none
    call.gaps           none, or {min_rows}: how far the slices are apart, those with so many rows
    call.later          of a state, the relations that are read where its metrics are;  not there otherwise
    call.diagnostics    tell what stands behind each value;  call.per_group: one row per group -#}
{%- macro plan(call) -%}
{%- set macro = call.macro -%}
{%- do sqlmetrics.check_call(call) -%}
{%- set metrics = call.metrics if call.gaps is none else sqlmetrics.with_rates_of_criteria(macro, call.metrics) -%}
{%- set requested = sqlmetrics.requested_metrics(macro, metrics, call.preset) -%}
{%- set table = requested[0].metric.table -%}
{%- do sqlmetrics.check_form(call, requested) -%}
{%- set relations = sqlmetrics.relations_read(macro, requested, call.relations, call.get('later', [])) -%}
{%- set judged = 'judgments' in relations -%}
{%- set models = sqlmetrics.models_of(macro, call.roles.get('score')) -%}
{%- set given = sqlmetrics.roles_given(macro, requested, call.roles, models) -%}
{%- set against = none if call.comparison is none else call.comparison.against -%}
{%- set models = sqlmetrics.models_compared(macro, call, models) -%}
{%- set slicing = sqlmetrics.slicing_of(macro, call.by) -%}
{%- if judged -%}{%- do sqlmetrics.check_group_weight_of_judged(call, requested, given, slicing) -%}{%- endif -%}
{%- set certainty = sqlmetrics.certainty_of(macro, call, requested, given) -%}
{%- do sqlmetrics.check_names(macro, requested, slicing, models, call.diagnostics, certainty) -%}
{%- set comparison = sqlmetrics.comparison_of(macro, call, requested, models, slicing) if call.gaps is none else sqlmetrics.gaps_of(macro, call, requested, slicing) -%}
{%- set row_ids = sqlmetrics.rows_are_numbered(requested, comparison, certainty) -%}
{%- set group_name = sqlmetrics.group_name(macro, requested, slicing, models, given) if table or call.per_group else 'group' -%}

{%- set scored = models if against is none else [] -%}
{%- set computed = sqlmetrics.computed_columns(macro, requested, given) -%}
{%- set requires = [] -%}
{%- for one in requested -%}
{%- do requires.append(sqlmetrics.columns_required(macro, one, given, computed, scored, relations)) -%}
{%- endfor -%}
{%- set read = sqlmetrics.columns_read(requested, requires, given, dict(computed, **sqlmetrics.columns_looked_up(given, relations))) -%}
{%- set derived = sqlmetrics.columns_derived(requested, read, scored, judged) -%}
{%- if certainty is not none and certainty.cluster is not none -%}
{%- do read.columns.update({'cluster_id': certainty.cluster}) -%}
{%- do derived.append('cluster_id') -%}
{%- endif -%}
{%- if row_ids -%}{%- do derived.append('row_id') -%}{%- endif -%}
{#- The bootstrap gives every row a weight. -#}
{%- if certainty is not none and certainty.replicates is not none and 'weight' not in derived -%}{%- do derived.append('weight') -%}{%- endif -%}
{%- set metrics = [] -%}
{%- for one in requested -%}
{%- set m = sqlmetrics.planned_metric(one, requires[loop.index0], given, computed, judged, 'label' in derived, group_name) -%}
{%- do metrics.append(dict(m, interval=sqlmetrics.interval_names(one, certainty, call.diagnostics), banded=sqlmetrics.band_names(one, certainty))) -%}
{%- endfor -%}
{{ return({
    'role_words': sqlmetrics.role_words(read.columns, given),
    'title': sqlmetrics.title_of(requested, slicing, call.relation_text),
    'relation': sqlmetrics.named_relation(call.relation),
    'input': call.input,
    'by': slicing.entries,
    'groupings': slicing.groupings,
    'models': models,
    'against': none if against is none else {
        'relation': sqlmetrics.named_relation(against.relation),
        'input': against.input,
        'by': slicing.entries,
        'columns': sqlmetrics.columns_of_against(macro, call.comparison, read.columns),
        'where': call.where,
    },
    'roles': given,
    'columns': read.columns,
    'derived': derived,
    'required': read.required,
    'where': call.where,
    'requested': requested,
    'metrics': metrics,
    'relations': sqlmetrics.planned_relations(requested, relations, given),
    'per_group': call.per_group,
    'group_name': group_name,
    'table': table,
    'shape': call.shape,
    'hashed_groups': false,
    'countable': 'weight' not in given and 'positives' not in given and not call.diagnostics,
    'stored': false,
    'fixed_slices': sqlmetrics.fixed_slices(slicing, models),
    'whole_columns': [],
    'problems': sqlmetrics.rules_of(requested, read, scored),
    'checks': call.checks and not table and comparison is none,
    'refuses': false,
    'diagnostics': call.diagnostics,
    'certainty': certainty,
    'comparison': comparison,
    'row_ids': row_ids,
    'round': call.round,
}) }}
{%- endmacro -%}

{%- macro check_call(call) -%}
{%- if not call.relation.strip() -%}
{%- do sqlmetrics.refuse(call.macro, "relation must be given, as in relation=ref('impressions')") -%}
{%- endif -%}
{%- if call.shape is not none and call.shape not in sqlmetrics.known_shapes() -%}
{%- do sqlmetrics.refuse(call.macro, 'shape must be ' ~ sqlmetrics.one_of(sqlmetrics.known_shapes()) ~ ', not ' ~ sqlmetrics.shown(call.shape)) -%}
{%- endif -%}
{%- if call.where is not none and (call.where is not string or not call.where.strip()) -%}
{%- do sqlmetrics.refuse(call.macro, 'where must be an SQL condition') -%}
{%- endif -%}
{%- do sqlmetrics.check_digits(call.macro, call.round) -%}
{%- endmacro -%}

{%- macro check_digits(macro, digits) -%}
{%- if digits is not none and (digits is not number or digits is boolean or digits < 0 or digits > 15 or digits != digits | int) -%}
{%- do sqlmetrics.refuse(macro, 'round must be a whole number between 0 and 15, not ' ~ sqlmetrics.shown(digits)) -%}
{%- endif -%}
{%- endmacro -%}

{#- A sub-query in brackets gets a name, without which PostgreSQL 15 takes none. One that has a name already ends with it. -#}
{%- macro named_relation(text) -%}
{%- set bare = text | trim -%}
{{ return(text ~ ' as given_relation' if bare.startswith('(') and bare.endswith(')') else text) }}
{%- endmacro -%}

{#- Whether the metrics can be told in the form that is asked for. -#}
{%- macro check_form(call, requested) -%}
{%- if call.diagnostics and requested[0].metric.table -%}
{%- do sqlmetrics.refuse(call.macro, 'diagnostics: ' ~ requested[0].metric.name ~ ' is a table; ask for it without ⟨diagnostics⟩') -%}
{%- endif -%}
{%- if call.round is not none and requested[0].metric.table -%}
{%- do sqlmetrics.refuse(call.macro, 'round: ' ~ requested[0].metric.name ~ ' is a table, whose columns are not all values; leave it out') -%}
{%- endif -%}
{%- for one in requested if call.per_group and not one.metric.has_group_value -%}
{%- do sqlmetrics.refuse(call.macro, one.name ~ ' has no value per group; ⟨per_group⟩ takes grouped and ranking metrics') -%}
{%- endfor -%}
{%- if call.per_group and call.diagnostics -%}
{%- do sqlmetrics.refuse(call.macro, 'diagnostics: leave it out of ⟨per_group⟩, whose rows are the groups themselves') -%}
{%- endif -%}
{%- endmacro -%}

{%- macro names_of(entries) -%}
{%- set names = [] -%}
{%- for entry in entries -%}{%- do names.append(entry.name) -%}{%- endfor -%}
{{ return(names) }}
{%- endmacro -%}

{%- macro title_of(requested, slicing, relation_text) -%}
{%- set what = sqlmetrics.names_of(requested) | join(', ') ~ ' of ' ~ relation_text -%}
{%- if slicing.groupings -%}
{{ return(what ~ ', by ' ~ sqlmetrics.names_of(slicing.groupings) | join(' | ')) }}
{%- endif -%}
{{ return(what ~ (', by ' ~ sqlmetrics.names_of(slicing.entries) | join(', ') if slicing.entries else '')) }}
{%- endmacro -%}

{#- The further relations given, each read by some metric; those needed, each given, unless they are read `later`. -#}
{%- macro relations_read(macro, requested, relations, later=[]) -%}
{%- set read = {} -%}
{%- for name, relation in relations.items() if relation is not none -%}
{%- set readers = [] -%}
{%- for one in requested if name in one.metric.relations -%}{%- do readers.append(one.name) -%}{%- endfor -%}
{%- if not readers -%}
{%- do sqlmetrics.refuse_unread(macro, name, requested) -%}
{%- endif -%}
{%- do read.update({name: relation}) -%}
{%- endfor -%}
{%- for one in requested -%}
{%- for name in one.metric.relations if name not in sqlmetrics.optional_relations() and name not in read and name not in later -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ' needs ⟨' ~ name ~ '⟩: ' ~ sqlmetrics.known_relations()[name]) -%}
{%- endfor -%}
{%- endfor -%}
{%- if 'judgments' in read -%}
{%- set with_subtopic = [] -%}
{%- set without = [] -%}
{%- for one in requested if 'judgments' in one.metric.relations -%}
{%- do (with_subtopic if 'subtopic' in one.metric.roles else without).append(one.name) -%}
{%- endfor -%}
{%- if with_subtopic and without -%}
{%- do sqlmetrics.refuse(macro, 'judgments: ' ~ with_subtopic[0] ~ ' reads one of an item for each subtopic, ' ~ without[0] ~ ' one of an item; ask for them in two calls') -%}
{%- endif -%}
{%- endif -%}
{{ return(read) }}
{%- endmacro -%}

{#- A group of which nothing was returned has no row that says what it weighs. It belongs to no slice but the whole. -#}
{%- macro check_group_weight_of_judged(call, requested, given, slicing) -%}
{%- set whole = [] if slicing.entries else ['overall'] -%}
{%- for grouping in slicing.groupings if not grouping.columns -%}{%- do whole.append(grouping.name) -%}{%- endfor -%}
{%- if 'group_weight' in given and whole and not call.per_group -%}
{%- for one in requested if 'judgments' in one.metric.relations and 'group_weight' in one.metric.roles and one.parameters.missing == 'zero' -%}
{%- do sqlmetrics.refuse(call.macro, 'group_weight: of a judged group of which nothing was returned nothing says what it weighs, and ' ~ one.name ~ ' counts it as 0 by ' ~ sqlmetrics.setting_words(one, 'missing') ~ "; missing='skip' leaves it out") -%}
{%- endfor -%}
{%- endif -%}
{%- endmacro -%}

{#- A further relation. What is missing in a table is counted beside the rows of the log, whose steps must not stand for it. -#}
{%- macro apart_from_rows(name, relation) -%}
{%- if not relation.input and relation.relation | string | trim | lower | replace('"', '') in ['source', 'compared'] -%}
{{ return({'relation': 'sqlmetrics_' ~ name, 'input': 'select * from ' ~ relation.relation}) }}
{%- endif -%}
{{ return({'relation': sqlmetrics.named_relation(relation.relation), 'input': relation.input}) }}
{%- endmacro -%}

{#- Each further relation with the columns that are read from it, and the rules that they keep. -#}
{%- macro planned_relations(requested, relations, given) -%}
{%- set planned = {} -%}
{%- for name, relation in relations.items() -%}
{%- set columns = {} -%}
{%- set problems = [] -%}
{%- if name == 'judgments' -%}
{%- do columns.update({'group_id': given['group'], 'item_id': given['item'], 'label': given['label']}) -%}
{%- set judged = [] -%}
{%- for one in requested if name in one.metric.relations -%}{%- do judged.append(one) -%}{%- endfor -%}
{%- if 'subtopic' in judged[0].metric.roles -%}{%- do columns.update({'subtopic_id': given['subtopic']}) -%}{%- endif -%}
{%- for rule in sqlmetrics.relevance_rules(judged) -%}
{%- do problems.append({'keeps': rule.keeps, 'words': 'holds a label that ' ~ rule.words}) -%}
{%- endfor -%}
{%- elif name in ['catalog', 'popularity'] -%}
{%- do columns.update({'item_id': given['item']}) -%}
{%- elif name in sqlmetrics.lookups() -%}
{%- for column in sqlmetrics.lookups()[name]['keys'] + sqlmetrics.lookups()[name].numbers | list -%}
{%- do columns.update({column: given[sqlmetrics.column_roles()[column]] if column in ['group_id', 'item_id'] else {'column': column}}) -%}
{%- endfor -%}
{%- endif -%}
{%- do planned.update({name: dict(sqlmetrics.apart_from_rows(name, relation), columns=columns, problems=problems)}) -%}
{%- endfor -%}
{{ return(planned) }}
{%- endmacro -%}

{#- What a canonical column is to the user: the role and the column or expression that was given for it. -#}
{%- macro role_words(columns, given) -%}
{%- set words = {} -%}
{%- for name, value in columns.items() -%}
{%- set role = value.parameter if value.parameter is defined else sqlmetrics.column_roles().get(name, name) -%}
{%- if value.looked_up is defined -%}
{%- do words.update({name: role ~ ' of ' ~ value.by ~ ' ' ~ sqlmetrics.value_words(value.parts[value.by])}) -%}
{%- elif value.parts is defined -%}
{#- Which of its probabilities was read, another column told. -#}
{%- set parts = [] -%}
{%- for part, own in value.parts.items() if part not in columns -%}{%- do parts.append(part ~ ' ' ~ sqlmetrics.value_words(own)) -%}{%- endfor -%}
{%- do words.update({name: parts | join(' or ')}) -%}
{%- else -%}
{%- do words.update({sqlmetrics.source_name(name): role ~ ' ' ~ sqlmetrics.value_words(value)}) -%}
{%- endif -%}
{%- endfor -%}
{{ return(words) }}
{%- endmacro -%}

{%- macro value_words(value) -%}
{{ return("(column '" ~ value.column ~ "')" if 'column' in value else '(' ~ value.sql.strip() ~ ')') }}
{%- endmacro -%}

{#- A metric as the frames and the metric files see it: `m`. -#}
{%- macro planned_metric(one, requires, given, computed, judged, label_is_there, group_name) -%}
{%- set metric = one.metric -%}
{%- set columns = [] -%}
{%- for name, shown in one['columns'].items() -%}
{%- do columns.append({'name': 'group_id', 'as': group_name} if metric.table and name == 'group' else {'name': name, 'as': shown}) -%}
{%- endfor -%}
{%- set class_scores = [] -%}
{%- set quantile_columns = [] -%}
{%- for name in sqlmetrics.computed_columns_of(one, computed) -%}
{%- if computed[name].class is defined -%}{%- do class_scores.append({'class': computed[name].class, 'column': name}) -%}{%- endif -%}
{%- if computed[name].level is defined -%}{%- do quantile_columns.append({'level': computed[name].level, 'column': name}) -%}{%- endif -%}
{%- endfor -%}
{%- set needed = [] -%}
{%- for name in requires -%}{%- do needed.append(sqlmetrics.source_name(name)) -%}{%- endfor -%}
{%- set m = {
    'name': metric.name,
    'formula': metric.formula,
    'as': one.name,
    'columns': columns,
    'group_columns': sqlmetrics.group_columns_of(one),
    'names': one['columns'],
    'frames': metric.frames,
    'frame_parameters': metric.frame_parameters | list,
    'truth': sqlmetrics.truth_of(one, given),
    'requires': needed,
    'group_weight': 'group_weight' in requires,
    'judged': judged and 'judgments' in metric.relations,
    'label_is_there': label_is_there,
    'of_parts': false,
    'query': metric.query,
    'table': metric.table,
    'has_value': metric.has_value,
    'class_scores': class_scores,
    'quantile_columns': quantile_columns,
    'uses': metric.uses,
    'order': metric.order,
    'range': sqlmetrics.range_of(metric, one.parameters),
    'bands': metric.bands,
    'has_influence': metric.has_influence,
    'has_cut': metric.has_cut,
    'has_held': metric.has_held,
    'direction': metric.direction,
    'best_value': metric.ideal,
    'zero_without_rows': metric.zero_without_rows,
    'no_weight': metric.no_weight,
} -%}
{%- do m.update(metric.frame_parameters) -%}
{%- do m.update(one.parameters) -%}
{{ return(m) }}
{%- endmacro -%}

{#- The columns of a metric in the table of groups: its value, or the counts that are pooled over groups. -#}
{%- macro group_columns_of(one) -%}
{%- set pooled = [] -%}
{%- for entry in one.metric.group_columns if one.parameters[entry.parameter] | string == entry.value -%}
{%- for name in entry['columns'] -%}
{%- do pooled.append({'name': name, 'as': one.name ~ '_' ~ name, 'shown': one.name ~ '_' ~ name}) -%}
{%- endfor -%}
{%- endfor -%}
{%- if pooled -%}
{{ return(pooled) }}
{%- endif -%}
{#- A step with one row per group has columns of its own. -#}
{%- set name = one.name | lower -%}
{%- set taken = name in ['group_id', 'group_weight', 'row_count', 'slice_id', 'grouping_id', 'model_id'] or name.startswith('slice_') -%}
{{ return([{'name': one.metric.name, 'as': one.name ~ '_of_group' if taken else one.name, 'shown': one.name}]) }}
{%- endmacro -%}
