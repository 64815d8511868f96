{#- The rules that values must keep: {'column', 'keeps' (a condition), 'beside' (the other column that it reads, which may have no
    value), 'words' (what is wrong with a value that breaks it; 'of_several' of several)}, and 'keeps_whole', which says the same
    of a column of whole numbers in less time. A metric with rules of its own has them in its file. -#}

{%- macro rules_of(requested, read, models) -%}
{%- set truths = [] -%}
{%- set scores = [] -%}
{%- for one in requested -%}
{%- do truths.append(one.metric.truth) -%}
{%- do scores.append(one.metric.score) -%}
{%- endfor -%}
{%- set binary = 'binary' in truths or 'binary or class' in truths -%}
{%- set probability = 'probability' in scores -%}
{%- set rules = [] -%}
{%- for name, column in read.columns.items() if column.class is defined or column.computed_by is defined -%}
{%- do rules.append(sqlmetrics.probability_rule(name)) -%}
{%- endfor -%}
{%- for name, column in read.columns.items() if column.level is defined -%}
{%- do rules.append({'column': name, 'keeps': sqlmetrics.is_finite(name), 'words': 'is infinite'}) -%}
{%- endfor -%}
{%- do rules.append({'column': 'upper_bound', 'keeps': 'upper_bound >= lower_bound', 'beside': 'lower_bound', 'words': 'is below lower_bound'}) -%}
{%- do rules.append(sqlmetrics.zero_or_one_rule('won', 'is neither 0 nor 1')) -%}
{%- do rules.append(sqlmetrics.zero_or_one_rule('treatment', 'is neither 0 nor 1')) -%}
{%- if binary -%}
{%- do rules.append(sqlmetrics.zero_or_one_rule('label', 'is neither 0 nor 1 (a binary label is needed)')) -%}
{%- endif -%}
{%- do rules.extend(sqlmetrics.relevance_rules(requested)) -%}
{%- if probability -%}
{%- do rules.append(sqlmetrics.probability_rule('score')) -%}
{%- endif -%}
{#- What must be 0 or 1, or between them, is finite. -#}
{%- if 'number' in truths and not binary -%}
{%- do rules.append({'column': 'label', 'keeps': sqlmetrics.is_finite('label'), 'words': 'is infinite'}) -%}
{%- endif -%}
{%- if 'number' in truths and not probability -%}
{%- do rules.append({'column': 'score', 'keeps': sqlmetrics.is_finite('score'), 'words': 'is infinite'}) -%}
{%- endif -%}
{%- if 'threshold' in scores -%}
{%- do rules.append(sqlmetrics.zero_or_one_rule('prediction', 'is neither 0 nor 1 (a binary prediction is needed)')) -%}
{%- endif -%}
{#- Sums of what is farther from 1, times a value, leave the range of doubles or have no digits left there. -#}
{%- for column in ['weight', 'group_weight'] -%}
{%- do rules.append({'column': column, 'keeps': '(' ~ column ~ ' = 0 or ' ~ column ~ ' between 1e-250 and 1e250)', 'words': 'is negative or infinite, or no number that can be added up (0, or from 1e-250 to 1e250, is needed)'}) -%}
{%- endfor -%}
{%- do rules.extend(sqlmetrics.policy_rules()) -%}
{%- for one in requested -%}
{#- how a text is written, the dialect knows -#}
{%- if one.parameters.get('scores') -%}
{%- do rules.append({'column': 'label_class', 'allowed': one.parameters.scores | list, 'words': 'has a class without a column in scores of ' ~ one.name}) -%}
{%- endif -%}
{%- for rule in one.metric.rules if sqlmetrics.rule_applies(rule, one.parameters) -%}{%- do rules.append(rule) -%}{%- endfor -%}
{%- endfor -%}
{%- do rules.append({'column': 'positives', 'keeps': 'positives >= 0', 'words': 'is negative'}) -%}
{%- do rules.append({'column': 'total', 'keeps': 'total >= positives and total <= 1e250', 'words': 'is less than positives, or infinite or too large to be added up'}) -%}
{%- set kept = [] -%}
{%- for rule in sqlmetrics.distinct(rules) if (rule.column in read.names or (rule.column == 'score' and models)) -%}
{%- do kept.append(dict(rule, of_several=sqlmetrics.of_several(rule.words))) -%}
{%- endfor -%}
{{ return(kept) }}
{%- endmacro -%}

{#- The rules for a log of actions. No policy draws an action with a probability below 1e-100, and the squares of the weights that
    come of it are numbers still. -#}
{%- macro policy_rules() -%}
{%- set rules = [
    {'column': 'propensity', 'keeps': 'propensity between 1e-100 and 1', 'words': 'is not above 0 and up to 1 (the probability of what was done is needed)'},
    sqlmetrics.probability_rule('target'),
] -%}
{%- for column in ['reward', 'q_action', 'q_policy'] -%}
{%- do rules.append({'column': column, 'keeps': sqlmetrics.is_finite(column), 'words': 'is infinite'}) -%}
{%- endfor -%}
{{ return(rules) }}
{%- endmacro -%}

{#- Whether the parameters have the values with which the rule holds. -#}
{%- macro rule_applies(rule, parameters) -%}
{%- for name, value in rule.get('with', {}).items() if parameters[name] != value -%}{{ return(false) }}{%- endfor -%}
{{ return(true) }}
{%- endmacro -%}

{#- What is said of one row, said of several. -#}
{%- macro of_several(words) -%}
{%- set verb = words.split(' ')[0] -%}
{{ return({'is': 'are', 'has': 'have'}.get(verb, verb) ~ words[verb | length:]) }}
{%- endmacro -%}

{%- macro zero_or_one_rule(column, words) -%}
{{ return({'column': column, 'keeps': column ~ ' in (0, 1)', 'keeps_whole': column ~ ' between 0 and 1', 'words': words}) }}
{%- endmacro -%}

{%- macro probability_rule(column) -%}
{{ return({'column': column, 'keeps': column ~ ' between 0 and 1', 'words': 'is outside [0, 1] (a probability is needed)'}) }}
{%- endmacro -%}

{#- The rules for a graded relevance, wherever it is read from. -#}
{%- macro relevance_rules(requested) -%}
{%- set rules = [] -%}
{%- for one in requested if one.metric.truth == 'relevance' -%}
{%- do rules.append({'column': 'label', 'keeps': sqlmetrics.is_finite('label'), 'words': 'is infinite'}) -%}
{%- if one.parameters.get('negative', 'error') == 'error' -%}
{%- do rules.append({'column': 'label', 'keeps': 'label >= 0', 'words': 'is negative (a graded relevance is needed)'}) -%}
{%- endif -%}
{%- if one.parameters.get('gain') == 'exp' or one.parameters.get('max_label') is not none -%}
{%- do rules.append({'column': 'label', 'keeps': 'label <= 1000', 'words': 'is above 1000: no double holds the gain 2^label - 1 of a list of such items'}) -%}
{%- endif -%}
{%- set linear = 'max_label' in one.parameters and one.parameters.get('gain') == 'linear' -%}
{%- if one.parameters.get('max_label') is not none or linear -%}
{%- set highest = sqlmetrics.number(1 if one.parameters.max_label is none else one.parameters.max_label) -%}
{%- do rules.append({'column': 'label', 'keeps': 'label <= ' ~ highest, 'words': 'is above max_label=' ~ highest ~ ' of ' ~ one.name}) -%}
{%- endif -%}
{%- endfor -%}
{{ return(sqlmetrics.distinct(rules)) }}
{%- endmacro -%}

{%- macro distinct(values) -%}
{%- set kept = [] -%}
{%- for value in values if value not in kept -%}{%- do kept.append(value) -%}{%- endfor -%}
{{ return(kept) }}
{%- endmacro -%}
