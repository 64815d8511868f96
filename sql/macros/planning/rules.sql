{#- Rules for values: {'column', 'keeps' (a condition), 'other_column' (another column in it, which may be NULL), 'message' (the error text)}.
    'keeps_whole' is a faster condition for integer columns. Metric files have rules of their own. -#}

{%- macro rules_of(requested, read, models) -%}
{%- set truths = requested | map(attribute='metric.label_type') | list -%}
{%- set scores = requested | map(attribute='metric.score') | list -%}
{%- set own = [] -%}
{%- for metric_call in requested -%}
{#- The dialect quotes these strings. -#}
{%- if metric_call.parameters.get('scores') -%}
{%- do own.append({'column': 'label_class', 'allowed': metric_call.parameters.scores | list, 'message': 'has a class without a column in scores of ' ~ metric_call.name}) -%}
{%- endif -%}
{%- set parameters = metric_call.parameters -%}
{%- for rule in metric_call.metric.rules if dict(parameters, **rule.get('with', {})) == parameters -%}{%- do own.append(rule) -%}{%- endfor -%}
{%- endfor -%}
{%- set binary = 'binary' in truths or 'binary or class' in truths -%}
{%- set probability = 'probability' in scores -%}
{%- set parts = [] -%}
{%- for name, column in read.columns.items() if column.class is defined or column.computed_by is defined or column.level is defined -%}
{%- do parts.append(sqlmetrics.value_rule(name, 'finite' if column.level is defined else 'probability')) -%}
{%- endfor -%}
{%- set rules = parts + [
    {'column': 'upper_bound', 'keeps': 'upper_bound >= lower_bound', 'other_column': 'lower_bound', 'message': 'is below lower_bound'},
    sqlmetrics.value_rule('won', 'zero_or_one'),
    sqlmetrics.value_rule('treatment', 'zero_or_one'),
] + ([sqlmetrics.value_rule('label', 'zero_or_one', ' (a binary label is needed)')] if binary else [])
  + sqlmetrics.relevance_rules(requested)
  + ([sqlmetrics.value_rule('score', 'probability')] if probability else [])
  + ([sqlmetrics.value_rule('label', 'finite')] if 'number' in truths and not binary else [])
  + ([sqlmetrics.value_rule('score', 'finite')] if 'number' in truths and not probability else [])
  + ([sqlmetrics.value_rule('prediction', 'zero_or_one', ' (a binary prediction is needed)')] if 'threshold' in scores else [])
  + [
    sqlmetrics.value_rule('weight', 'weight'),
    sqlmetrics.value_rule('group_weight', 'weight'),
    {'column': 'propensity', 'keeps': 'propensity between 1e-100 and 1', 'message': 'is not above 0 and at most 1 (the probability of the logged action is needed)'},
    sqlmetrics.value_rule('target', 'probability'),
    sqlmetrics.value_rule('reward', 'finite'),
    sqlmetrics.value_rule('q_action', 'finite'),
    sqlmetrics.value_rule('q_policy', 'finite'),
] + own + [
    {'column': 'positives', 'keeps': 'positives >= 0', 'message': 'is negative'},
    {'column': 'total', 'keeps': 'total >= positives and total <= 1e250', 'message': 'is less than positives, or infinite or too large to be added up'},
] -%}
{{ return(sqlmetrics.distinct(rules) | selectattr('column', 'in', read.names + (['score'] if models else [])) | list) }}
{%- endmacro -%}

{#- Rules that several columns share. Beyond the bounds of weights, a sum of weights times a value overflows a double or underflows. For
    the same reason propensities are at least 1e-100: squares of their inverse weights stay finite. -#}
{%- macro value_rule(column, form, why='') -%}
{%- set keeps, message = {
    'finite': [sqlmetrics.is_finite(column), 'is infinite'],
    'zero_or_one': [column ~ ' in (0, 1)', 'is neither 0 nor 1'],
    'probability': [column ~ ' between 0 and 1', 'is outside [0, 1] (a probability is needed)'],
    'weight': ['(' ~ column ~ ' = 0 or ' ~ column ~ ' between 1e-250 and 1e250)',
        'is negative, infinite or outside the supported range (0, or from 1e-250 to 1e250, is needed)'],
}[form] -%}
{%- set rule = {'column': column, 'keeps': keeps, 'message': message ~ why} -%}
{{ return(dict(rule, keeps_whole=column ~ ' between 0 and 1') if form == 'zero_or_one' else rule) }}
{%- endmacro -%}

{#- Rules for graded relevance, of the log or of judgments. -#}
{%- macro relevance_rules(requested) -%}
{%- set rules = [] -%}
{%- for metric_call in requested if metric_call.metric.label_type == 'relevance' -%}
{%- set gain = metric_call.parameters.get('gain') -%}
{%- set highest = metric_call.parameters.get('max_label') -%}
{%- set negative = metric_call.parameters.get('negative', 'error') == 'error' -%}
{%- set bounded = highest is not none or ('max_label' in metric_call.parameters and gain == 'linear') -%}
{%- set most = sqlmetrics.number(1 if highest is none else highest) -%}
{%- for applies, keeps, message in [
    [true, sqlmetrics.is_finite('label'), 'is infinite'],
    [negative, 'label >= 0', 'is negative (a graded relevance is needed)'],
    [gain == 'exp' or highest is not none, 'label <= 1000', 'is above 1000: the gain 2^label - 1 is too large for a double'],
    [bounded, 'label <= ' ~ most, 'is above max_label=' ~ most ~ ' of ' ~ metric_call.name],
] if applies -%}
{%- do rules.append({'column': 'label', 'keeps': keeps, 'message': message}) -%}
{%- endfor -%}
{%- endfor -%}
{{ return(sqlmetrics.distinct(rules)) }}
{%- endmacro -%}

{%- macro distinct(values) -%}
{%- set first = [] -%}
{%- for value in values if value not in first -%}{%- do first.append(value) -%}{%- endfor -%}
{{ return(first) }}
{%- endmacro -%}
