{#- Print the properties of models as they were built, ready for schema.yml: dbt run-operation sqlmetrics.contract --args '{model:
    scorecard}'. A list of models works too. Existing descriptions of a model stay. -#}
{%- macro contract(model) -%}
{%- set nodes = {} -%}
{%- for node in graph.nodes.values() if node.resource_type == 'model' -%}{%- do nodes.update({node.name: node}) -%}{%- endfor -%}
{%- set models = [] -%}
{%- for name in sqlmetrics.as_list(model) -%}
{%- if name not in nodes -%}
{%- do sqlmetrics.raise_error('contract', 'there is no model ' ~ sqlmetrics.shown(name), 'BadParameter', name, nodes | list) -%}
{%- endif -%}
{%- set relation = adapter.get_relation(nodes[name].database, nodes[name].schema, nodes[name].alias) -%}
{%- if relation is none -%}
{%- do sqlmetrics.raise_error('contract', 'the model ' ~ name ~ ' is not built; run dbt run --select ' ~ name ~ ' first') -%}
{%- endif -%}
{%- do models.append(sqlmetrics.model_properties(nodes[name], adapter.get_columns_in_relation(relation))) -%}
{%- endfor -%}
{%- do print(('models:\n' ~ toyaml(models)) | indent(2) | trim) -%}
{%- endmacro -%}

{%- macro model_properties(node, columns) -%}
{%- set texts = fromjson(sqlmetrics.descriptions()) -%}
{%- set names = columns | map(attribute='name') | map('lower') | list -%}
{%- set about = [node.description] -%}
{%- for macro in node.depends_on.macros if macro.startswith('macro.sqlmetrics.') -%}
{%- do about.append(texts.get(macro[17:] ~ '()', texts.get(macro[17:]))) -%}
{%- endfor -%}
{%- set about = about | select | list -%}
{%- set properties = {'name': node.name} -%}
{%- if about -%}{%- do properties.update({'description': about[0]}) -%}{%- endif -%}
{%- do properties.update({'config': {'contract': {'enforced': true}}, 'columns': []}) -%}
{#- dbt requires one of these next to a contract. -#}
{%- if node.config.materialized == 'incremental' -%}
{%- do properties.config.update({'on_schema_change': 'fail' if node.config.on_schema_change == 'fail' else 'append_new_columns'}) -%}
{%- endif -%}
{%- for column in columns -%}
{#- Snowflake reports DEVICE for a name that needs no quotes. -#}
{%- set folded = sqlmetrics.dialect_table().folds_to_upper_case and column.name == column.name.upper() -%}
{%- set name = column.name | lower if folded else column.name -%}
{%- set is_bare = sqlmetrics.identifier(name) == name -%}
{%- set entry = {'name': name} if is_bare else {'name': column.name, 'quote': true} -%}
{#- The data_type of a string is character varying(256) on DuckDB, and that of character(3) on PostgreSQL is character varying(3). -#}
{%- set size = '(' ~ column.char_size | int ~ ')' if column.char_size else '' -%}
{%- do entry.update({'data_type': column.dtype ~ size if column.is_string() else column.data_type}) -%}
{%- set known = node['columns'].get(entry.name, {}).get('description') or sqlmetrics.column_description(column.name | lower, names, texts) -%}
{%- if known -%}{%- do entry.update({'description': known}) -%}{%- endif -%}
{%- do properties['columns'].append(entry) -%}
{%- endfor -%}
{{ return(properties) }}
{%- endmacro -%}

{#- The description of a column: by its name, by a pattern (auc_low), or by the metric before a number (ndcg_at_10, ece_20). -#}
{%- macro column_description(name, names, texts) -%}
{%- if name in texts -%}{{ return(texts[name]) }}{%- endif -%}
{%- for pattern, text in texts.items() if '*' in pattern -%}
{%- set start, end = pattern.split('*') -%}
{%- set other = name[start | length:name | length - end | length] -%}
{%- if name.startswith(start) and name.endswith(end) and (start[:-1] or other) in names -%}
{{ return(text | replace('*', other)) }}
{%- endif -%}
{%- endfor -%}
{%- set stem = name.rstrip('0123456789') -%}
{%- for known in [stem ~ 'k', stem[:-4], stem[:-1]] if stem != name and stem.endswith('_') and known in texts -%}
{{ return(texts[known]) }}
{%- endfor -%}
{{ return('') }}
{%- endmacro -%}
