{#- What a caller may write for a role, a slice or a parameter, and how it is understood. A column is a plain string; an
    expression opens with an equals sign; {'column': …} and {'sql': …} say which of the two is meant. The Python runner
    does the same in planning.py and specification.py: the two must give one text. -#}

{#- Every error of a call: the macro that was called, then what is wrong with which argument. -#}
{%- macro refuse(macro, words) -%}
{{ exceptions.raise_compiler_error('sqlmetrics' ~ ('.' ~ macro if macro is not none else '') ~ ': ' ~ words) }}
{%- endmacro -%}

{%- macro is_list(value) -%}
{{ return(value is sequence and value is not string and value is not mapping) }}
{%- endmacro -%}

{%- macro is_word(text) -%}
{%- set word = namespace(value=text | length > 0 and text[0] in 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_') -%}
{%- for character in text if character != '_' and not character.isalnum() -%}
{%- set word.value = false -%}
{%- endfor -%}
{{ return(word.value) }}
{%- endmacro -%}

{%- macro role_value(macro, role, value) -%}
{%- if value is mapping -%}
{%- set kind = 'column' if 'column' in value else 'sql' -%}
{%- if kind not in value -%}
{%- do sqlmetrics.refuse(macro, role ~ " as a dict is {'column': …} or {'sql': …}") -%}
{%- endif -%}
{%- set text = value[kind] -%}
{%- elif value is not string -%}
{%- do sqlmetrics.refuse(macro, role ~ ' must be a column name or an expression, not ' ~ value) -%}
{%- elif value.lstrip().startswith('=') -%}
{%- set kind = 'sql' -%}
{%- set text = value.lstrip()[1:] -%}
{%- else -%}
{%- set kind = 'column' -%}
{%- set text = value -%}
{%- endif -%}
{%- if not text.strip() -%}
{%- do sqlmetrics.refuse(macro, role ~ ' is empty') -%}
{%- endif -%}
{{ return({kind: text}) }}
{%- endmacro -%}

{#- A value with the name of its result column: `name = expression`, else the column or the expression itself. -#}
{%- macro named_value(macro, role, value) -%}
{%- if value is string and '=' in value -%}
{%- set head = value.split('=', 1)[0].strip() -%}
{%- set tail = value.split('=', 1)[1] -%}
{%- if sqlmetrics.is_word(head) and not tail.startswith('=') and tail.strip() -%}
{{ return({'name': head, 'sql': tail.lstrip()}) }}
{%- endif -%}
{%- endif -%}
{%- set entry = sqlmetrics.role_value(macro, role, value) -%}
{%- set name = entry['column'] if 'column' in entry else entry['sql'] -%}
{%- if value is mapping and 'name' in value -%}
{%- set name = value['name'] -%}
{%- endif -%}
{%- do entry.update({'name': name.strip()}) -%}
{{ return(entry) }}
{%- endmacro -%}

{#- A parameter's value in the form the templates take, or an error that says what would be right. -#}
{%- macro parameter_value(macro, metric, parameter, value) -%}
{%- set where = metric ~ ': ' ~ parameter.name -%}
{%- if value is none -%}
{%- if parameter.required -%}
{%- do sqlmetrics.refuse(macro, where ~ ' must be given') -%}
{%- elif parameter.default is not none -%}
{%- do sqlmetrics.refuse(macro, where ~ ' must be ' ~ parameter.expected ~ ', not none') -%}
{%- endif -%}
{{ return(none) }}
{%- endif -%}
{%- if parameter.type == 'choice' -%}
{%- set right = value in parameter.choices -%}
{%- elif parameter.type == 'boolean' -%}
{%- set right = value is boolean -%}
{%- elif parameter.type == 'columns' -%}
{%- set right = value is mapping and value | length > 0 -%}
{%- elif value is boolean or value is not number -%}
{%- set right = false -%}
{%- elif parameter.minimum is not none and value < parameter.minimum -%}
{%- set right = false -%}
{%- elif parameter.maximum is not none and value > parameter.maximum -%}
{%- set right = false -%}
{%- else -%}
{%- set right = value - value == 0 and (parameter.type != 'integer' or value == value | int) -%}
{%- endif -%}
{%- if not right -%}
{%- do sqlmetrics.refuse(macro, where ~ ' must be ' ~ parameter.expected ~ ', not ' ~ value) -%}
{%- endif -%}
{{ return(value | int if parameter.type == 'integer' else value) }}
{%- endmacro -%}
