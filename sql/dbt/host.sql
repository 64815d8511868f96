{#- What dbt does that the Python runner does in its own way: how a call comes in, and how it is refused. -#}

{#- The statement of a call; every public macro ends here. It is stored and run later, where nobody checks the values first: a value
    that breaks a rule ends it. -#}
{%- macro statement_of_call(macro, relation, metrics, roles, relations, preset, by, where, shape, diagnostics=false, confidence=none, cluster=none, standard_error=false, comparison=none, intervals=none, round=none, gaps=none) -%}
{%- set q = sqlmetrics.plan(sqlmetrics.call_of(macro, relation, metrics, roles, relations, preset, by, where, shape, diagnostics, confidence, cluster, standard_error, comparison, intervals, round, gaps)) -%}
{{ sqlmetrics.query(dict(q, refuses=true)) }}
{%- endmacro -%}

{#- The arguments of a macro in the form that the planner takes. -#}
{%- macro call_of(macro, relation, metrics, roles, relations, preset, by, where, shape, diagnostics=false, confidence=none, cluster=none, standard_error=false, comparison=none, intervals=none, round=none, gaps=none) -%}
{%- if target.type not in sqlmetrics.known_dialects() -%}
{%- do sqlmetrics.refuse(macro, "target type '" ~ target.type ~ "' is not supported; " ~ sqlmetrics.known_dialects() | join(', ') ~ ' are') -%}
{%- endif -%}
{%- if diagnostics is not boolean -%}
{%- do sqlmetrics.refuse(macro, 'diagnostics must be true or false, not ' ~ sqlmetrics.shown(diagnostics)) -%}
{%- endif -%}
{%- set further = {} -%}
{%- for name, given in relations.items() if given is not none -%}
{%- do further.update({name: {'relation': given | string, 'input': none}}) -%}
{%- endfor -%}
{%- if comparison is not none and comparison.against is not none -%}
{%- set comparison = dict(comparison, against={'relation': comparison.against | string, 'input': none}) -%}
{%- endif -%}
{%- set text = '' if relation is none or relation is not defined else relation | string -%}
{{ return({
    'macro': macro,
    'relation': text,
    'relation_text': text,
    'input': none,
    'metrics': metrics,
    'preset': preset,
    'roles': roles,
    'relations': further,
    'by': by,
    'where': where,
    'shape': shape,
    'checks': false,
    'diagnostics': diagnostics,
    'per_group': false,
    'confidence': confidence,
    'cluster': cluster,
    'standard_error': standard_error,
    'method': none if intervals is none else intervals['method'],
    'replicates': none if intervals is none else intervals['replicates'],
    'seed': none if intervals is none else intervals['seed'],
    'anytime': none if intervals is none else intervals['anytime'],
    'comparison': comparison,
    'round': round,
    'gaps': gaps,
}) }}
{%- endmacro -%}

{#- What a test compares its model with, of the rows that the `where` of the test says: dbt takes it from the arguments, and gives
    it to the model alone. -#}
{%- macro rows_of_test(relation) -%}
{{ return(none if relation is none else get_where_subquery(sqlmetrics.named_relation(relation | string)) | string) }}
{%- endmacro -%}

{#- A state as its readers take it. -#}
{%- macro state_of_dbt(relation) -%}
{%- set names = [] -%}
{%- if relation is not none and relation is defined and relation is not string and execute -%}
{#- What dbt-duckdb reads files by, as read_parquet('…'), has no name by which it could ask for the columns. -#}
{%- set is_read_by_function = relation.external is defined and relation.external and '(' in relation.external -%}
{%- set columns = adapter.get_column_schema_from_query('select * from ' ~ relation) if is_read_by_function else adapter.get_columns_in_relation(relation) -%}
{%- for column in columns -%}{%- do names.append(column.name | lower) -%}{%- endfor -%}
{%- endif -%}
{%- set text = '' if relation is none or relation is not defined else relation | string -%}
{{ return({
    'relation': text,
    'shown': text,
    'columns': names,
    'anew': ', by dbt run --full-refresh',
    'once': "set unique_key='state_key' with incremental_strategy='merge' or 'delete+insert', and build the state anew, by dbt run --full-refresh",
}) }}
{%- endmacro -%}

{#- A strategy that replaces rows by a key leaves those whose key is not built again, and they are added up on. -#}
{%- macro warn_of_stale_parts(macro, previous) -%}
{%- if previous is none and execute and model is defined and model.config.materialized == 'incremental' and model.config.unique_key and is_incremental() -%}
{%- do exceptions.warn('sqlmetrics.' ~ macro ~ ': ' ~ this ~ ' keeps the parts of rows that the log no longer has, and its readers count them; pass previous=this if is_incremental() else none') -%}
{%- endif -%}
{%- endmacro -%}

{#- Every error of a call: the macro that was called, then what is wrong with which argument, and the names there are. -#}
{%- macro refuse(macro, words, kind='BadParameter', name='', known=[]) -%}
{%- set near = sqlmetrics.nearest_names(name | lower, known) if name is string and name else [] -%}
{%- set names = '; there are ' ~ known | join(', ') if kind == 'UnknownMetric' and not near else '' -%}
{%- set head = words.split('; ', 1)[0] -%}
{%- set words = head ~ (" (did you mean '" ~ near | join("' or '") ~ "'?)" if near else '') ~ words[head | length:] -%}
{%- set written = words | replace('⟩=', '⟩: ' if macro in sqlmetrics.generic_tests() else '⟩=') | replace('⟨', '') | replace('⟩', '') -%}
{{ exceptions.raise_compiler_error('sqlmetrics' ~ ('.' ~ macro if macro is not none else '') ~ ': ' ~ written ~ names) }}
{%- endmacro -%}

{#- The macros that are tests in a project's YAML, where an argument is `name: value`. -#}
{%- macro generic_tests() -%}
{{ return(['calibrated_by', 'drift_below', 'metric_between', 'metric_not_falling', 'metric_not_worse_than', 'psi_below', 'score_drift_below', 'valid_inputs']) }}
{%- endmacro -%}

{#- The known names that are the fewest edits away from a name, if they are few for its length. -#}
{%- macro nearest_names(name, known) -%}
{%- set near = namespace(names=[], edits=1 + name | length // 5) -%}
{%- for other in known -%}
{%- set edits = sqlmetrics.edits_between(name, other) -%}
{%- if edits < near.edits -%}{%- set near.names = [] -%}{%- endif -%}
{%- if edits <= near.edits -%}
{%- set near.edits = edits -%}
{%- do near.names.append(other) -%}
{%- endif -%}
{%- endfor -%}
{{ return(near.names) }}
{%- endmacro -%}

{#- How many letters differ, are missing or change places with the next (optimal string alignment). -#}
{%- macro edits_between(a, b) -%}
{%- set rows = [range(b | length + 1) | list] -%}
{%- for x in a -%}
{%- set i = loop.index0 -%}
{%- set row = [i + 1] -%}
{%- for y in b -%}
{%- set j = loop.index0 -%}
{%- set ways = [rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (0 if x == y else 1)] -%}
{%- if i and j and x == b[j - 1] and y == a[i - 1] -%}{%- do ways.append(rows[i - 1][j - 1] + 1) -%}{%- endif -%}
{%- do row.append(ways | min) -%}
{%- endfor -%}
{%- do rows.append(row) -%}
{%- endfor -%}
{{ return(rows[-1][-1]) }}
{%- endmacro -%}
