{#- From the arguments of a call to the plan that `query` writes as SQL, for dbt and the Python runner.

    call.macro          the called macro, for errors.  call.relation: the table, subquery or file scan, as SQL.
    call.relation_text  the relation as the title shows it.  call.input: a query for a step named `relation`, or none.
    call.metrics        'auc', 'ndcg@10', {'name': 'ndcg', 'k': 10, 'as': 'mine'}, or a list of these.  call.preset: sklearn, ….
    call.roles          role -> a column name, '= expression', {'column': …} or {'sql': …}; for `score` also a list of these.
    call.relations      additional relation -> {'relation': …, 'input': …}.
    call.by             slice columns, 'name = expression', or a list of lists of these.  call.where: a condition.
    call.shape          one of known_shapes(), or none for the default of the dialect.
    call.checks         drop rows that break a rule for values, and count all rows.
    call.confidence     the level of the intervals, or none.  call.cluster: the column that groups dependent rows.
    call.standard_error add the standard error of each value.
    call.method         jackknife, bootstrap or none.  call.replicates, call.seed: number and seed of the resamples.
    call.comparison     none, or {against, baseline, relative, adjust, power}: compare the scores with a baseline score,
                        or with the rows of another relation, against: {'relation': …, 'input': …}.
    call.round          the number of decimal places of the values, or none.
    call.gaps           none, or {min_rows}: compare the slices with at least this many rows.
    call.later          relations that are read only with the metrics of a state; absent in other calls.
    call.diagnostics    add diagnostic columns.  call.per_group: one row per group. -#}
{%- macro plan(call) -%}
{%- set macro = call.macro -%}
{%- do sqlmetrics.check_call(call) -%}
{%- set metrics = call.metrics if call.gaps is none else sqlmetrics.with_rates_of_criteria(macro, call.metrics) -%}
{%- set requested = sqlmetrics.requested_metrics(macro, metrics, call.preset) -%}
{%- set table = requested[0].metric.table -%}
{%- set relations = sqlmetrics.relations_read(macro, requested, call.relations, call.get('later', [])) -%}
{%- set judged = 'judgments' in relations -%}
{%- set scores = sqlmetrics.models_of(macro, call.roles.get('score')) -%}
{%- set bound_roles = sqlmetrics.bound_roles_of(macro, requested, call.roles, scores) -%}
{%- set against = none if call.comparison is none else call.comparison.against -%}
{%- set models = sqlmetrics.models_compared(macro, call, scores) -%}
{%- set slicing = sqlmetrics.slicing_of(macro, call.by) -%}
{%- do sqlmetrics.check_form(call, requested, bound_roles, slicing) -%}
{%- set interval_options = sqlmetrics.interval_options_of(macro, call, requested, bound_roles) -%}
{%- set comparison = sqlmetrics.comparison_of(macro, call, requested, models, slicing) if call.gaps is none else sqlmetrics.gaps_of(macro, call, requested, slicing) -%}
{%- set group_name = sqlmetrics.group_name(macro, requested, slicing, models, bound_roles) if table or call.per_group else 'group' -%}

{%- set scored = models if against is none else [] -%}
{%- set columns = sqlmetrics.planned_columns(macro, requested, bound_roles, scored, relations, comparison, interval_options) -%}
{%- set metrics = [] -%}
{%- for metric_call in requested -%}
{%- set m = sqlmetrics.planned_metric(metric_call, columns.requires[loop.index0], bound_roles, interval_options, columns.computed, group_name) -%}
{%- set clusters = {'clusters': m.names[m.name] ~ '_clusters'} if m.interval and call.diagnostics else {} -%}
{%- do metrics.append(dict(m, judged=judged and 'judgments' in metric_call.metric.relations, label_is_there='label' in columns.derived, interval=dict(m.interval, **clusters))) -%}
{%- endfor -%}
{%- do sqlmetrics.check_names(macro, metrics, slicing, models, call.diagnostics) -%}
{#- The second relation has the same column names, except for `score_of_against`. -#}
{%- set score = (call.comparison or {}).get('score_of_against') if 'score' in columns.read else none -%}
{{ return(dict(sqlmetrics.plan_without_metrics(), **{
    'role_words': sqlmetrics.role_words(columns.read),
    'title': sqlmetrics.title_of(requested, slicing, call.relation_text),
    'relation': sqlmetrics.named_relation(call.relation),
    'input': call.input,
    'by': slicing.entries,
    'groupings': slicing.groupings,
    'models': models,
    'against': none if against is none else {
        'relation': sqlmetrics.named_relation(against.relation), 'input': against.input, 'by': slicing.entries, 'where': call.where,
        'columns': columns.read if score is none else dict(columns.read, score=sqlmetrics.role_value(macro, 'score', score)),
    },
    'roles': bound_roles,
    'columns': columns.read,
    'derived': columns.derived,
    'required': columns.required,
    'where': call.where,
    'requested': requested,
    'metrics': metrics,
    'relations': sqlmetrics.planned_relations(requested, relations, bound_roles),
    'per_group': call.per_group,
    'group_name': group_name,
    'table': table,
    'shape': call.shape,
    'countable': 'weight' not in bound_roles and 'positives' not in bound_roles and not call.diagnostics,
    'fixed_slices': sqlmetrics.fixed_slices(slicing, models),
    'problems': columns.rules,
    'checks': call.checks and not table and comparison is none,
    'diagnostics': call.diagnostics,
    'interval_options': interval_options,
    'comparison': comparison,
    'row_ids': 'row_id' in columns.derived,
    'round': sqlmetrics.argument(macro, 'round', call.round),
})) }}
{%- endmacro -%}

{#- The values of a plan that calls do not always set. -#}
{%- macro plan_without_metrics() -%}
{{ return({
    'input': none, 'against': none, 'comparison': none, 'interval_options': none, 'group_name': none,
    'groupings': [], 'models': [], 'requested': [], 'fixed_slices': [], 'whole_columns': [], 'columns': {}, 'relations': {},
    'table': false, 'per_group': false, 'diagnostics': false, 'checks': false, 'refuses': false, 'row_ids': false,
    'reads_negatives': true, 'materialized': false, 'few_slices': false, 'hashed_groups': false,
}) }}
{%- endmacro -%}

{#- Columns of a call: of each metric (`requires`), of every metric (`required`), of the user (`read`) and of the frames (`derived`). -#}
{%- macro planned_columns(macro, requested, bound_roles, scored, relations, comparison, interval_options) -%}
{%- set computed = sqlmetrics.computed_columns(macro, requested, bound_roles) -%}
{%- set requires = [] -%}
{%- for metric_call in requested -%}
{%- do requires.append(sqlmetrics.columns_required(macro, metric_call, bound_roles, computed, scored, relations)) -%}
{%- endfor -%}
{#- Canonical columns that are joined from an additional relation by a key. -#}
{%- set looked_up = {'propensity': {'looked_up': 'propensities', 'by': 'position', 'parts': {'position': bound_roles.position}}} if 'propensities' in relations else {} -%}
{%- set read = sqlmetrics.columns_read(requested, requires, bound_roles, dict(computed, **looked_up)) -%}
{%- set derived = sqlmetrics.columns_derived(requested, read, scored, 'judgments' in relations) -%}
{%- set clustered = interval_options is not none and interval_options.cluster is not none -%}
{#- The bootstrap gives every row a weight. -#}
{%- set weighed = interval_options is not none and interval_options.replicates is not none and 'weight' not in derived -%}
{{ return({
    'computed': computed,
    'requires': requires,
    'required': read.required,
    'read': dict(read.columns, cluster_id=interval_options.cluster) if clustered else read.columns,
    'derived': derived + (['cluster_id'] if clustered else [])
        + (['row_id'] if sqlmetrics.rows_are_numbered(requested, comparison, interval_options) else []) + (['weight'] if weighed else []),
    'rules': sqlmetrics.rules_of(requested, read, scored),
}) }}
{%- endmacro -%}

{#- Checks the arguments that are independent of the metrics. Calls of `drift` and of states have some of them. -#}
{%- macro check_call(call, example='impressions') -%}
{%- do sqlmetrics.check_rules(call.macro, [
    [not call.relation.strip(), "relation must be given, as in relation=ref('" ~ example ~ "')"],
    sqlmetrics.condition_rule('where', call.where),
]) -%}
{%- set arguments = dict(call, **(call.get('comparison') or {})) -%}
{%- for name in ['shape', 'round', 'method', 'standard_error', 'relative', 'test', 'adjust', 'power'] if name in arguments -%}
{%- do sqlmetrics.argument(call.macro, name, arguments[name]) -%}
{%- endfor -%}
{%- endmacro -%}

{#- PostgreSQL 15 requires an alias for a subquery in brackets. A text that ends with a bracket has none yet. -#}
{%- macro named_relation(text) -%}
{%- set bare = text | trim -%}
{{ return(text ~ ' as given_relation' if bare.startswith('(') and bare.endswith(')') else text) }}
{%- endmacro -%}

{#- A judged group without returned items has no row with its weight. It belongs to the overall slice only. -#}
{%- macro check_form(call, requested, bound_roles, slicing) -%}
{%- set first = requested[0].metric -%}
{%- set without_groups = requested | rejectattr('metric.has_group_value') | map(attribute='name') | list if call.per_group else [] -%}
{%- set overall = slicing.groupings | rejectattr('columns') | list or not (slicing.entries or slicing.groupings) -%}
{%- set weighed = sqlmetrics.readers_of('group_weight', requested) if 'judgments' in call.relations and 'group_weight' in bound_roles and overall and not call.per_group else [] -%}
{%- set as_zero = sqlmetrics.readers_of('judgments', weighed) | selectattr('parameters.missing', 'equalto', 'zero') | list -%}
{%- do sqlmetrics.check_rules(call.macro, [
    [call.diagnostics and first.table, 'diagnostics: ' ~ first.name ~ ' is a table; remove ⟨diagnostics⟩'],
    [call.round is not none and first.table, 'round: ' ~ first.name ~ ' is a table, whose columns are not all values; remove it'],
    [call.per_group and call.diagnostics, 'diagnostics: ⟨per_group⟩ does not support it; remove it'],
    [without_groups, '{0} has no value per group; ⟨per_group⟩ takes grouped and ranking metrics'],
    [sqlmetrics.names_of(as_zero), 'group_weight: a judged group without returned items has no weight, and {0} counts its value as 0 with ' ~ (sqlmetrics.setting_words(as_zero[0], 'missing') if as_zero) ~ "; pass missing='skip' to drop such groups"],
]) -%}
{%- endmacro -%}

{%- macro names_of(entries) -%}{{ return(entries | map(attribute='name') | list) }}{%- endmacro -%}

{%- macro title_of(requested, slicing, relation_text) -%}
{%- set slices = sqlmetrics.names_of(slicing.groupings) | join(' | ') or sqlmetrics.names_of(slicing.entries) | join(', ') -%}
{{ return(sqlmetrics.names_of(requested) | join(', ') ~ ' of ' ~ relation_text ~ (', by ' ~ slices if slices else '')) }}
{%- endmacro -%}

{#- The metrics that use a role or an additional relation. -#}
{%- macro readers_of(name, requested) -%}
{%- set readers = [] -%}
{%- for metric_call in requested if name in metric_call.metric.roles + metric_call.metric.relations -%}{%- do readers.append(metric_call) -%}{%- endfor -%}
{{ return(readers) }}
{%- endmacro -%}

{#- Each given relation must have a metric that reads it. Each needed one must be given, or read `later`. -#}
{%- macro relations_read(macro, requested, relations, later=[]) -%}
{%- for name in relations if not sqlmetrics.readers_of(name, requested) -%}{%- do sqlmetrics.raise_unread(macro, name, requested) -%}{%- endfor -%}
{%- for metric_call in requested -%}
{%- set needed = metric_call.metric.relations | reject('in', sqlmetrics.optional_relations() + relations | list + later) | list -%}
{%- do sqlmetrics.check_rules(macro, [[needed, metric_call.name ~ ' needs ⟨{0}⟩: ' ~ sqlmetrics.known_relations().get(needed[:1] | join)]]) -%}
{%- endfor -%}
{%- set judged = sqlmetrics.readers_of('judgments', requested) if 'judgments' in relations else [] -%}
{%- set by_subtopic = sqlmetrics.readers_of('subtopic', judged) -%}
{%- set by_item = sqlmetrics.names_of(judged | reject('in', by_subtopic)) if by_subtopic else [] -%}
{%- do sqlmetrics.check_rules(macro, [
    [by_item, 'judgments: ' ~ by_subtopic | map(attribute='name') | join(', ') ~ ' needs one per item and subtopic, {0} one per item; request them in two calls'],
]) -%}
{{ return(relations) }}
{%- endmacro -%}

{#- Each additional relation with its columns and their rules. -#}
{%- macro planned_relations(requested, relations, bound_roles) -%}
{%- set planned = {} -%}
{%- set judged = sqlmetrics.readers_of('judgments', requested) -%}
{%- for name, relation in relations.items() -%}
{%- set lookup = sqlmetrics.lookups().get(name, {'keys': [], 'numbers': {}}) -%}
{%- set columns = {} -%}
{%- for column in lookup['keys'] + (lookup.numbers | list if name != 'popularity' else []) if column != 'subtopic_id' or sqlmetrics.readers_of('subtopic', judged) -%}
{%- set is_of_log = column in ['group_id', 'item_id', 'label', 'subtopic_id'] -%}
{%- do columns.update({column: bound_roles[sqlmetrics.column_roles()[column]] if is_of_log else {'column': column}}) -%}
{%- endfor -%}
{#- A table with the name of a step would be shadowed by it where missing values are counted. -#}
{%- set is_step = not relation.input and relation.relation | string | trim | lower | replace('"', '') in ['source', 'unpivoted_models'] -%}
{%- do planned.update({name: {
    'relation': 'sqlmetrics_' ~ name if is_step else sqlmetrics.named_relation(relation.relation),
    'input': 'select * from ' ~ relation.relation if is_step else relation.input,
    'columns': columns,
    'problems': sqlmetrics.relevance_rules(judged) if name == 'judgments' else [],
}}) -%}
{%- endfor -%}
{{ return(planned) }}
{%- endmacro -%}

{#- Describes a canonical column by its role and the user's column or expression. Of several parts, another column, `won`, selects one. -#}
{%- macro role_words(columns) -%}
{%- set words = {} -%}
{%- for name, value in columns.items() -%}
{%- set role = value.get('parameter') or sqlmetrics.column_roles().get(name, name) -%}
{%- set text -%}
{%- if value.looked_up is defined -%}{{ role }} of {% endif -%}
{%- for part, own in value.get('parts', {role: value}).items() if part not in columns or value.parts is not defined -%}
{{ ' or ' if not loop.first }}{{ part }} {{ "(column '" ~ own.column ~ "')" if 'column' in own else '(' ~ own.sql.strip() ~ ')' }}
{%- endfor -%}
{%- endset -%}
{%- do words.update({sqlmetrics.source_name(name): text}) -%}
{%- endfor -%}
{{ return(words) }}
{%- endmacro -%}

{#- `m` in frames and metric files: the declarations of the metric, its parameters, and the values that the call adds. -#}
{%- macro planned_metric(metric_call, requires, bound_roles={}, interval_options=none, computed={}, group_name='group') -%}
{%- set metric = metric_call.metric -%}
{%- set columns = [] -%}
{%- for name, shown in metric_call['columns'].items() -%}
{%- do columns.append({'name': 'group_id', 'as': group_name} if metric.table and name == 'group' else {'name': name, 'as': shown}) -%}
{%- endfor -%}
{%- set class_scores = [] -%}
{%- set quantile_columns = [] -%}
{%- for name, column in computed.items() if metric_call.name in column.readers -%}
{%- if column.class is defined -%}{%- do class_scores.append({'class': column.class, 'column': name}) -%}{%- endif -%}
{%- if column.level is defined -%}{%- do quantile_columns.append({'level': column.level, 'column': name}) -%}{%- endif -%}
{%- endfor -%}
{%- set unbounded = metric.unbounded and dict(metric_call.parameters, **metric.unbounded) == metric_call.parameters -%}
{{ return(dict(dict(dict(metric, **metric.frame_parameters), **metric_call.parameters), **{
    'as': metric_call.name,
    'columns': columns,
    'group_columns': sqlmetrics.group_columns_of(metric_call),
    'names': metric_call['columns'],
    'label_type': sqlmetrics.label_type_of(metric_call, bound_roles),
    'requires': sqlmetrics.source_names(requires),
    'group_weight': 'group_weight' in requires,
    'judged': false,
    'label_is_there': false,
    'of_parts': false,
    'interval': sqlmetrics.interval_names(metric_call, interval_options),
    'banded': sqlmetrics.band_names(metric_call, interval_options),
    'class_scores': class_scores,
    'quantile_columns': quantile_columns,
    'range': [none, none] if unbounded else [metric.lower, metric.upper],
    'best_value': metric.ideal,
})) }}
{%- endmacro -%}

{#- Columns of a metric in the table of groups: its value, or the counts to pool over groups. -#}
{%- macro group_columns_of(metric_call) -%}
{%- set pooled = [] -%}
{%- for entry in metric_call.metric.group_columns if metric_call.parameters[entry.parameter] | string == entry.value -%}
{%- for name in entry['columns'] -%}
{%- do pooled.append({'name': name, 'as': metric_call.name ~ '_' ~ name, 'shown': metric_call.name ~ '_' ~ name}) -%}
{%- endfor -%}
{%- endfor -%}
{#- Avoids the names of the step's own columns. -#}
{%- set name = metric_call.name | lower -%}
{%- set taken = name in ['group_id', 'group_weight', 'row_count', 'slice_id', 'grouping_id', 'model_id'] or name.startswith('slice_') -%}
{{ return(pooled or [{'name': metric_call.metric.name, 'as': metric_call.name ~ '_of_group' if taken else metric_call.name, 'shown': metric_call.name}]) }}
{%- endmacro -%}
