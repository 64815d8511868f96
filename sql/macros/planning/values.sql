{#- Values of arguments, roles, slices and parameters. A plain string is a column, and a string after '=' an expression; {'column': …}
    and {'sql': …} are explicit. -#}

{#- Rules of single-value arguments, in the form of metric parameters. -#}
{%- macro argument_rules() -%}
{{ return({
    'preset': {'optional': true, 'type': 'choice', 'choices': sqlmetrics.known_presets(), 'expected': sqlmetrics.one_of(sqlmetrics.known_presets())},
    'shape': {'optional': true, 'type': 'choice', 'choices': sqlmetrics.known_shapes(), 'expected': sqlmetrics.one_of(sqlmetrics.known_shapes())},
    'round': {'optional': true, 'type': 'integer', 'minimum': 0, 'maximum': 15, 'expected': 'a whole number between 0 and 15'},
    'confidence': {'type': 'number', 'minimum': 0.5, 'maximum': 0.999999, 'expected': 'a number between 0.5 and 0.999999, as in 0.95'},
    'standard_error': {'type': 'boolean', 'expected': 'true or false'},
    'method': {'optional': true, 'type': 'choice', 'choices': ['jackknife', 'bootstrap'], 'expected': "'jackknife' or 'bootstrap'"},
    'replicates': {'type': 'integer', 'in_digits': true, 'minimum': 20, 'maximum': 10000, 'expected': 'a whole number from 20 to 10000, as in 200'},
    'seed': {'type': 'integer', 'in_digits': true, 'minimum': 0, 'maximum': 9007199254740991, 'expected': 'a whole number from 0 to 9007199254740991'},
    'relative': {'type': 'boolean', 'expected': 'true or false'},
    'test': {'type': 'choice', 'choices': ['t', 'wilcoxon', 'randomization'], 'expected': "'t', 'wilcoxon' or 'randomization'"},
    'adjust': {'optional': true, 'type': 'choice', 'choices': ['holm', 'bh'], 'expected': "'holm', 'bh' or none"},
    'power': {'type': 'number', 'minimum': 0.5, 'maximum': 0.999, 'expected': 'a number between 0.5 and 0.999, as in 0.8'},
    'min_rows': {'optional': true, 'type': 'integer', 'in_digits': true, 'minimum': 0, 'expected': 'a whole number >= 0'},
}) }}
{%- endmacro -%}

{#- Checks an argument by its rule. `optional` allows none. -#}
{%- macro argument(macro, name, value) -%}
{%- set rule = sqlmetrics.argument_rules()[name] -%}
{{ return(none if value is none and rule.optional is defined else sqlmetrics.checked_value(macro, name, rule, value)) }}
{%- endmacro -%}

{#- A value that keeps a rule, as an integer if the rule requires one. With `in_digits`, 200.0 and decimals are none. -#}
{%- macro checked_value(macro, where, rule, value) -%}
{%- set fits = sqlmetrics.parameter_fits(rule, value) and (rule.in_digits is not defined or value is integer) -%}
{%- do sqlmetrics.check_rules(macro, [[not fits, where ~ ' must be ' ~ rule.expected ~ ', not ' ~ sqlmetrics.shown(value)]]) -%}
{{ return(value | int if rule.type == 'integer' and value is number else value) }}
{%- endmacro -%}

{#- Rules for `check_rules`. -#}
{%- macro whole_number_rule(name, value, least) -%}
{{ return([
    not sqlmetrics.parameter_fits({'type': 'integer', 'minimum': least}, value),
    name ~ ' must be a whole number >= ' ~ least ~ ', not ' ~ sqlmetrics.shown(value),
]) }}
{%- endmacro -%}

{%- macro condition_rule(name, value) -%}
{{ return([value is not none and (value is not string or not value.strip()), name ~ ' must be an SQL condition']) }}
{%- endmacro -%}

{#- Raises the first broken rule of [[whether it is broken, error text], …]. A list of names breaks a rule if it has any, and {0} in the
    text is the first of them. -#}
{%- macro check_rules(macro, rules) -%}
{%- for broken, message in rules if broken -%}
{%- do sqlmetrics.raise_error(macro, message | replace('{0}', broken[0]) if sqlmetrics.is_list(broken) else message) -%}
{%- endfor -%}
{%- endmacro -%}

{#- The names of the arguments with a value. -#}
{%- macro passed(arguments) -%}{{ return(arguments.items() | rejectattr(1, 'none') | map(attribute=0) | list) }}{%- endmacro -%}

{%- macro is_list(value) -%}{{ return(value is sequence and value is not string and value is not mapping) }}{%- endmacro -%}

{%- macro as_list(value) -%}{{ return([] if value is none else value if sqlmetrics.is_list(value) else [value]) }}{%- endmacro -%}

{%- macro flat(lists) -%}
{%- set items = [] -%}
{%- for values in lists -%}{%- do items.extend(values) -%}{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{#- The entries of a mapping with some of its names. -#}
{%- macro entries_of(mapping, names) -%}
{%- set entries = {} -%}
{%- for name in names if name in mapping -%}{%- do entries.update({name: mapping[name]}) -%}{%- endfor -%}
{{ return(entries) }}
{%- endmacro -%}

{#- A value as errors show it. -#}
{%- macro shown(value) -%}{{ return("'" ~ value ~ "'" if value is string else value | string) }}{%- endmacro -%}

{%- macro one_of(values) -%}{{ return("'" ~ values | join("' or '") ~ "'") }}{%- endmacro -%}

{%- macro is_word(text) -%}{{ return((text | replace('_', 'a')).isalnum() and not text[0].isdigit()) }}{%- endmacro -%}

{%- macro role_value(macro, role, value) -%}
{%- set marked = value is string and value.lstrip().startswith('=') -%}
{%- set form = 'sql' if marked or (value is mapping and 'column' not in value) else 'column' -%}
{%- set text = value.get(form) if value is mapping else value.lstrip()[1:] if marked else value -%}
{%- do sqlmetrics.check_rules(macro, [
    [value is mapping and form not in value, role ~ " as a dict is {'column': …} or {'sql': …}"],
    [text is not string, role ~ ' must be a column name or an expression, not ' ~ sqlmetrics.shown(text)],
    [text is string and not text.strip(), role ~ ' is empty'],
    [text is string and '\u0000' in text, role ~ ' holds a NUL character'],
]) -%}
{{ return({form: text}) }}
{%- endmacro -%}

{#- A value with its name in the result: from `name = expression`, else the column or expression itself. -#}
{%- macro named_value(macro, role, value) -%}
{%- if value is string and '=' in value -%}
{%- set name = value.split('=', 1)[0].strip() -%}
{%- set text = value.split('=', 1)[1].strip() -%}
{%- if sqlmetrics.is_word(name) and text and not text.startswith('=') -%}
{#- `device = 'ios'` would name a constant. -#}
{%- do sqlmetrics.check_rules(macro, [
    [sqlmetrics.is_constant(text), role ~ ': "' ~ value ~ '" would name the constant ' ~ text ~ ' ' ~ name ~ '; name a comparison, as in "is_it = ' ~ name ~ ' = ' ~ text ~ '"'],
]) -%}
{{ return({'name': name, 'sql': text}) }}
{%- endif -%}
{%- endif -%}
{%- set entry = sqlmetrics.role_value(macro, role, value) -%}
{%- set own = entry['column'] if 'column' in entry else entry['sql'].strip() -%}
{{ return(dict(entry, name=value['name'] if value is mapping and 'name' in value else own)) }}
{%- endmacro -%}

{#- Whether an expression is a single literal. -#}
{%- macro is_constant(text) -%}
{%- if text[0] == "'" and text[-1] == "'" and text | length > 1 -%}
{{ return("'" not in text[1:-1] | replace("''", '')) }}
{%- endif -%}
{%- set digits = text | replace('.', '') | replace('-', '') | replace('+', '') | replace('_', '') | replace('e', '') | replace('E', '') -%}
{{ return(digits.isdigit() and text[0] not in 'eE_' or text | lower in ['true', 'false', 'null']) }}
{%- endmacro -%}

{#- Checks and converts the value of a parameter. -#}
{%- macro parameter_value(macro, metric, parameter, value) -%}
{%- set where = metric ~ ': ' ~ parameter.name -%}
{%- if value is none -%}
{%- set example = {'columns': "{'cat': 'p_cat', 'dog': 'p_dog'}", 'quantiles': "{0.1: 'p10', 0.9: 'p90'}"}.get(parameter.type, '10') -%}
{%- do sqlmetrics.check_rules(macro, [
    [parameter.required, where ~ ' must be given, as in ' ~ metric ~ '(' ~ parameter.name ~ '=' ~ example ~ ')'],
    [parameter.default is not none, where ~ ' must be ' ~ parameter.expected ~ ', not None'],
]) -%}
{{ return(none) }}
{%- endif -%}
{{ return(sqlmetrics.checked_value(macro, where, parameter, value)) }}
{%- endmacro -%}

{%- macro parameter_fits(parameter, value) -%}
{%- if parameter.type == 'choice' or (value is string and parameter.get('choices')) -%}
{{ return((value is none or value is string or value is number) and value in parameter.choices) }}
{%- elif parameter.type == 'boolean' -%}
{{ return(value is boolean) }}
{%- elif parameter.type in ['columns', 'quantiles'] -%}
{%- set levels = [] -%}
{%- for name, column in (value.items() if value is mapping else []) -%}
{%- set level = sqlmetrics.level_of(name) if parameter.type == 'quantiles' else name -%}
{%- if column is not string or name is boolean or level in levels -%}
{{ return(false) }}
{%- elif (not (level > 0 and level < 1) if parameter.type == 'quantiles' else name is not string and name is not integer) -%}
{{ return(false) }}
{%- endif -%}
{%- do levels.append(level) -%}
{%- endfor -%}
{{ return(levels | length > 0) }}
{#- rejects infinity, NaN and fractions of integer parameters -#}
{%- elif value is boolean or value is not number or value - value != 0 or (parameter.type == 'integer' and value != value | int) -%}
{{ return(false) }}
{%- endif -%}
{%- set minimum = parameter.get('minimum') -%}
{%- set maximum = parameter.get('maximum') -%}
{{ return(value >= (-1e300 if minimum is none else minimum) and value <= (1e300 if maximum is none else maximum)) }}
{%- endmacro -%}

{%- macro level_of(name) -%}{{ return(name | float if name is string or name is number else 0) }}{%- endmacro -%}
