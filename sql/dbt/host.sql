{#- The dbt counterpart of the Python runner: reads calls and raises errors. -#}

{#- The statement of a call, for every public macro of metrics. dbt runs it later without a separate check, so an invalid value raises
    an error. dbt parses a project without `execute`; only names are checked then. -#}
{%- macro statement_of_call(macro, relation, metrics, arguments, options, others=['metrics']) -%}
{%- set names = ['relation'] + others + options | list + options.get('comparison', {}) | list + options.get('gaps', {}) | list -%}
{%- set inputs = sqlmetrics.roles_and_relations(macro, arguments, names) -%}
{%- if execute -%}
{%- set q = sqlmetrics.plan(sqlmetrics.call_of(macro, relation, metrics, inputs.roles, inputs.relations, options)) -%}
{{ sqlmetrics.query(dict(q, refuses=true)) }}
{%- endif -%}
{%- endmacro -%}

{#- The declaration of a metric in the package or in the project's `macros/`, or none. -#}
{%- macro metric_definition(name) -%}
{%- set builtin = sqlmetrics.metric_definitions() -%}
{%- set project = fromjson(sqlmetrics.project_definitions()) -%}
{%- do sqlmetrics.check_rules(none, [[name in builtin and name in project, "the package has a metric '" ~ name ~ "' too; rename yours, and run `sqlmetrics dbt-metrics` again"]]) -%}
{{ return(fromjson(builtin[name]) if name in builtin else project.get(name)) }}
{%- endmacro -%}

{%- macro known_metrics() -%}
{{ return(sqlmetrics.metric_definitions() | list + fromjson(sqlmetrics.project_definitions()) | list) }}
{%- endmacro -%}

{#- The statement of a single metric. `arguments` has all arguments: parameters, roles, relations and options. -#}
{%- macro statement_of_metric(name, relation, arguments) -%}
{%- set parameters = sqlmetrics.metric_definition(name).parameters | list -%}
{%- set options = dict(sqlmetrics.options_of_metrics(), **sqlmetrics.entries_of(arguments, sqlmetrics.options_of_metrics())) -%}
{%- set spec = dict(sqlmetrics.entries_of(arguments, parameters), name=name) -%}
{%- set inputs = sqlmetrics.entries_of(arguments, arguments | reject('in', parameters + options | list)) -%}
{{ sqlmetrics.statement_of_call(name, relation, [spec], inputs, options, parameters) }}
{%- endmacro -%}

{#- Options of the macros of single metrics, in addition to parameters, roles and relations. -#}
{%- macro options_of_metrics() -%}
{{ return({
    'by': none, 'where': none, 'shape': none, 'diagnostics': false, 'confidence': none, 'cluster': none, 'standard_error': false,
    'method': none, 'replicates': none, 'seed': none, 'round': none,
}) }}
{%- endmacro -%}

{#- Splits the other arguments of a macro into roles and relations. `others` are its declared arguments, to suggest a name for a
    misspelled one. -#}
{%- macro roles_and_relations(macro, arguments, others) -%}
{%- set roles, relations = sqlmetrics.known_roles() | list, sqlmetrics.known_relations() | list -%}
{%- for argument in arguments | reject('in', roles + relations) -%}
{%- do sqlmetrics.raise_error(macro, "there is no argument '" ~ argument ~ "'", 'BadParameter', argument, roles + relations + others) -%}
{%- endfor -%}
{{ return({'roles': sqlmetrics.entries_of(arguments, roles), 'relations': sqlmetrics.entries_of(arguments, relations)}) }}
{%- endmacro -%}

{#- The same for a generic test, which may be a test of the score column. -#}
{%- macro inputs_of_test(macro, arguments, column_name, others) -%}
{%- do sqlmetrics.check_rules(macro, [['arguments' in arguments, 'dbt before 1.10 takes the arguments of a test without `arguments:`, directly below its name']]) -%}
{%- set inputs = sqlmetrics.roles_and_relations(macro, arguments, others | list + ['model', 'metric', 'column_name']) -%}
{%- set score = inputs.roles.get('score') -%}
{{ return(dict(inputs, roles=dict(inputs.roles, score=sqlmetrics.column_of_test(column_name) if score is none else score))) }}
{%- endmacro -%}

{#- The arguments of a macro as the planner reads them. `options` override the defaults. -#}
{%- macro call_of(macro, relation, metrics, roles, relations, options) -%}
{%- set further = {} -%}
{%- for name, value in relations.items() if value is not none -%}
{%- do further.update({name: {'relation': value | string, 'input': none}}) -%}
{%- endfor -%}
{%- set text = '' if relation is none or relation is not defined else relation | string -%}
{%- set comparison = options.get('comparison') -%}
{%- set against = none if comparison is none else comparison.against -%}
{%- set call = dict(
    dict(dict(sqlmetrics.options_of_metrics(), preset=none, gaps=none), **options),
    macro=macro,
    relation=text,
    relation_text=text,
    input=none,
    metrics=metrics,
    roles=roles,
    relations=further,
    checks=false,
    per_group=false,
    comparison=comparison if against is none else dict(comparison, against={'relation': against | string, 'input': none})
) -%}
{%- do sqlmetrics.check_rules(macro, [
    [target.type not in sqlmetrics.known_dialects(), "target type '" ~ target.type ~ "' is not supported; " ~ sqlmetrics.known_dialects() | join(', ') ~ ' are'],
    [call.diagnostics is not boolean, 'diagnostics must be true or false, not ' ~ sqlmetrics.shown(call.diagnostics)],
]) -%}
{{ return(call) }}
{%- endmacro -%}

{#- The other relation of a test, filtered by the `where` of the test, which dbt applies to the model only. -#}
{%- macro rows_of_test(relation) -%}
{{ return(none if relation is none else get_where_subquery(sqlmetrics.named_relation(relation | string)) | string) }}
{%- endmacro -%}

{#- A state as its readers need it. -#}
{%- macro state_of_dbt(relation) -%}
{%- set text = '' if relation is none or relation is not defined else relation | string -%}
{#- A subquery or a file scan of dbt-duckdb, such as read_parquet('…'), has no name for which dbt could list the columns. -#}
{%- set names = get_columns_in_query('select * from ' ~ text) if execute and '(' in text
    else adapter.get_columns_in_relation(relation) | map(attribute='name') if execute and text and relation is not string else [] -%}
{{ return({
    'relation': text,
    'shown': text,
    'columns': names | map('lower') | list,
    'rebuild_hint': ', by dbt run --full-refresh',
    'once': "set unique_key='state_key' with incremental_strategy='merge' or 'delete+insert', and rebuild the state, by dbt run --full-refresh",
}) }}
{%- endmacro -%}

{#- The statement of a state. A strategy that replaces rows by a key retains rows whose key is not rebuilt, and readers still add them
    up. -#}
{%- macro state_of_call(q, previous, previous_where) -%}
{%- if previous is none and model is defined and model.config.materialized == 'incremental' and model.config.unique_key and is_incremental() -%}
{%- do exceptions.warn('sqlmetrics.' ~ q.state.macro ~ ': ' ~ this ~ ' keeps the parts of rows that the log no longer has, and its readers count them; pass previous=this if is_incremental() else none') -%}
{%- endif -%}
{{ sqlmetrics.state_statement(dict(q, refuses=true), none if previous is none else sqlmetrics.state_of_dbt(previous), previous_where) }}
{%- endmacro -%}

{#- Raises an error of a call: the macro, the problem with an argument, and the known names. -#}
{%- macro raise_error(macro, words, error_class='BadParameter', name='', known=[]) -%}
{%- set near = sqlmetrics.nearest_names(name | lower, known) if name is string and name else [] -%}
{%- set names = '; there are ' ~ known | join(', ') if error_class == 'UnknownMetric' and not near else '' -%}
{%- set head = words.split('; ', 1)[0] -%}
{%- set words = head ~ (" (did you mean '" ~ near | join("' or '") ~ "'?)" if near else '') ~ words[head | length:] -%}
{%- set written = words | replace('⟩=', '⟩: ' if macro in sqlmetrics.generic_tests() else '⟩=') | replace('⟨', '') | replace('⟩', '') -%}
{{ exceptions.raise_compiler_error('sqlmetrics' ~ ('.' ~ macro if macro is not none else '') ~ ': ' ~ written ~ names) }}
{%- endmacro -%}

{#- Macros for tests in YAML, where an argument is `name: value`. -#}
{%- macro generic_tests() -%}
{{ return(['calibrated_by', 'drift_below', 'metric_between', 'metric_not_falling', 'metric_not_worse_than', 'state_is_complete', 'valid_inputs']) }}
{%- endmacro -%}

{#- The known names closest to a name, if few letters differ for its length. -#}
{%- macro nearest_names(name, known) -%}
{%- set names_apart = {} -%}
{%- for other in known -%}
{#- The letters that both names have, in any order. -#}
{%- set shared = namespace(letters=0) -%}
{%- for letter in sqlmetrics.distinct(name) -%}{%- set shared.letters = shared.letters + [name.count(letter), other.count(letter)] | min -%}{%- endfor -%}
{%- do names_apart.setdefault([name | length, other | length] | max - shared.letters, []).append(other) -%}
{%- endfor -%}
{%- set least = names_apart | min -%}
{{ return(names_apart[least] if least <= 1 + name | length // 5 else []) }}
{%- endmacro -%}
