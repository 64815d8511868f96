{#- What a caller may write for a role, a slice or a parameter, and how it is understood. A column is a plain string; an
    expression opens with an equals sign; {'column': …} and {'sql': …} say which of the two is meant. -#}

{%- macro is_list(value) -%}
{{ return(value is sequence and value is not string and value is not mapping) }}
{%- endmacro -%}

{#- A value as the words of an error show it. -#}
{%- macro shown(value) -%}
{{ return("'" ~ value ~ "'" if value is string else value | string) }}
{%- endmacro -%}

{%- macro one_of(values) -%}
{{ return("'" ~ values | join("' or '") ~ "'") }}
{%- endmacro -%}

{%- macro is_word(text) -%}
{%- set word = namespace(value=text | length > 0 and not text[0].isdigit()) -%}
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
{%- elif value is string and value.lstrip().startswith('=') -%}
{%- set kind = 'sql' -%}
{%- set text = value.lstrip()[1:] -%}
{%- else -%}
{%- set kind = 'column' -%}
{%- set text = value -%}
{%- endif -%}
{%- if text is not string -%}
{%- do sqlmetrics.refuse(macro, role ~ ' must be a column name or an expression, not ' ~ sqlmetrics.shown(text)) -%}
{%- endif -%}
{%- if not text.strip() -%}
{%- do sqlmetrics.refuse(macro, role ~ ' is empty') -%}
{%- endif -%}
{%- if '\u0000' in text -%}
{%- do sqlmetrics.refuse(macro, role ~ ' holds a NUL character') -%}
{%- endif -%}
{{ return({kind: text}) }}
{%- endmacro -%}

{#- A value with the name of its result column: `name = expression`, else the column or the expression itself. -#}
{%- macro named_value(macro, role, value) -%}
{%- if value is string and '=' in value -%}
{%- set name = value.split('=', 1)[0].strip() -%}
{%- set text = value.split('=', 1)[1].strip() -%}
{%- if sqlmetrics.is_word(name) and text and not text.startswith('=') -%}
{#- `device = 'ios'` would call every row ios. -#}
{%- if sqlmetrics.is_constant(text) -%}
{%- do sqlmetrics.refuse(macro, role ~ ': "' ~ value ~ '" would name the constant ' ~ text ~ ' ' ~ name ~ '; a comparison is written with a name of its own, as in "is_it = ' ~ name ~ ' = ' ~ text ~ '"') -%}
{%- endif -%}
{{ return({'name': name, 'sql': text}) }}
{%- endif -%}
{%- endif -%}
{%- set entry = sqlmetrics.role_value(macro, role, value) -%}
{%- set name = entry['column'] if 'column' in entry else entry['sql'].strip() -%}
{%- if value is mapping and 'name' in value -%}
{%- set name = value['name'] -%}
{%- endif -%}
{%- do entry.update({'name': name}) -%}
{{ return(entry) }}
{%- endmacro -%}

{#- Whether an expression is one text or one number and nothing else. -#}
{%- macro is_constant(text) -%}
{%- if text[0] == "'" and text[-1] == "'" and text | length > 1 -%}
{{ return("'" not in text[1:-1] | replace("''", '')) }}
{%- endif -%}
{%- set digits = text | replace('.', '') | replace('-', '') | replace('+', '') | replace('_', '') | replace('e', '') | replace('E', '') -%}
{{ return(digits.isdigit() and text[0] not in 'eE_' or text | lower in ['true', 'false', 'null']) }}
{%- endmacro -%}

{#- A parameter's value in the form the templates take, or an error that says what would be right. -#}
{%- macro parameter_value(macro, metric, parameter, value) -%}
{%- set where = metric ~ ': ' ~ parameter.name -%}
{%- if value is none -%}
{%- if parameter.required -%}
{%- do sqlmetrics.refuse(macro, where ~ ' must be given, as in ' ~ metric ~ '(' ~ parameter.name ~ '=' ~ {'columns': "{'cat': 'p_cat', 'dog': 'p_dog'}", 'quantiles': "{0.1: 'p10', 0.9: 'p90'}"}.get(parameter.type, '10') ~ ')') -%}
{%- elif parameter.default is not none -%}
{%- do sqlmetrics.refuse(macro, where ~ ' must be ' ~ parameter.expected ~ ', not None') -%}
{%- endif -%}
{{ return(none) }}
{%- endif -%}
{%- if not sqlmetrics.parameter_fits(parameter, value) -%}
{%- do sqlmetrics.refuse(macro, where ~ ' must be ' ~ parameter.expected ~ ', not ' ~ sqlmetrics.shown(value)) -%}
{%- endif -%}
{{ return(value | int if parameter.type == 'integer' and value is number else value) }}
{%- endmacro -%}

{%- macro parameter_fits(parameter, value) -%}
{%- if parameter.type == 'choice' or (value is string and parameter.choices) -%}
{{ return(value in parameter.choices) }}
{%- elif parameter.type == 'boolean' -%}
{{ return(value is boolean) }}
{%- elif parameter.type == 'columns' -%}
{%- if value is not mapping or not value -%}
{{ return(false) }}
{%- endif -%}
{%- for name, column in value.items() if column is not string or (name is not string and name is not integer) or name is boolean -%}
{{ return(false) }}
{%- endfor -%}
{{ return(true) }}
{%- elif parameter.type == 'quantiles' -%}
{{ return(sqlmetrics.quantiles_fit(value)) }}
{%- elif value is boolean or value is not number -%}
{{ return(false) }}
{#- neither infinite nor NaN, and as a whole number one that is -#}
{%- elif value - value != 0 or (parameter.type == 'integer' and value != value | int) -%}
{{ return(false) }}
{%- elif value > 1e300 or value < -1e300 -%}
{{ return(false) }}
{%- endif -%}
{{ return((parameter.minimum is none or value >= parameter.minimum) and (parameter.maximum is none or value <= parameter.maximum)) }}
{%- endmacro -%}

{#- Each level once, as a number or, where keys are texts, as the text of one. -#}
{%- macro quantiles_fit(value) -%}
{%- if value is not mapping or not value -%}
{{ return(false) }}
{%- endif -%}
{%- set levels = [] -%}
{%- for name, column in value.items() -%}
{%- set level = sqlmetrics.level_of(name) -%}
{%- if column is not string or not (level > 0 and level < 1) or level in levels -%}
{{ return(false) }}
{%- endif -%}
{%- do levels.append(level) -%}
{%- endfor -%}
{{ return(true) }}
{%- endmacro -%}

{%- macro level_of(name) -%}
{{ return(name | float if name is string or name is number else 0) }}
{%- endmacro -%}
