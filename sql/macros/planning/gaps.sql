{#- Arguments of `gaps`: `min_rows`, and fairness criteria as metrics. -#}

{#- Replaces each fairness criterion by its rates. Several rates have the name of the criterion as a prefix. -#}
{%- macro with_rates_of_criteria(macro, metrics) -%}
{%- set criteria = {'demographic_parity': ['selection_rate'], 'equal_opportunity': ['recall'], 'equalized_odds': ['recall', 'fpr']} -%}
{%- set specs = [] -%}
{%- for spec in sqlmetrics.metric_specs(macro, metrics) -%}
{%- set spelled = sqlmetrics.spelling_of(macro, spec) -%}
{%- set rates = criteria.get(spelled.metric, []) -%}
{%- set name = spelled.metric if spelled.name is none else spelled.name -%}
{%- for rate in rates or [none] -%}
{%- do specs.append(spec if rate is none else dict(spelled.arguments, **{'name': rate, 'as': name if rates | length == 1 else name ~ '_' ~ rate})) -%}
{%- endfor -%}
{%- endfor -%}
{{ return(specs) }}
{%- endmacro -%}

{%- macro gaps_of(macro, call, requested, slicing) -%}
{%- do sqlmetrics.check_rules(macro, [
    [not slicing.entries, "by must name the slices to compare, as in ⟨by⟩='device'"],
    [requested | rejectattr('metric.has_single_value') | map(attribute='name') | list, '{0} has no single value to compare'],
]) -%}
{{ return({'gaps': true, 'min_rows': sqlmetrics.argument(macro, 'min_rows', call.gaps.min_rows), 'relative': false, 'test': 't', 'own_intervals': false}) }}
{%- endmacro -%}
