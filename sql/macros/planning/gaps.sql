{#- How far slices are apart, of every metric: what `min_rows` and the names of criteria mean in a call of `gaps`. -#}

{#- What people ask of a classifier that is to treat groups alike, and the rates of which each is said. -#}
{%- macro known_criteria() -%}
{{ return({
    'demographic_parity': ['selection_rate'],
    'equal_opportunity': ['recall'],
    'equalized_odds': ['recall', 'fpr'],
}) }}
{%- endmacro -%}

{#- The metrics, with the rates of a criterion in its place. Of several, each is named after both. -#}
{%- macro with_rates_of_criteria(macro, metrics) -%}
{%- set criteria = sqlmetrics.known_criteria() -%}
{%- set specs = [] -%}
{%- for spec in sqlmetrics.metric_specs(macro, metrics) -%}
{%- set spelled = sqlmetrics.spelling_of(macro, spec) -%}
{%- if spelled.metric not in criteria -%}
{%- do specs.append(spec) -%}
{%- else -%}
{%- set name = spelled.metric if spelled.name is none else spelled.name -%}
{%- set rates = criteria[spelled.metric] -%}
{%- for rate in rates -%}
{%- set one = dict(spelled.given) -%}
{%- do one.update({'name': rate, 'as': name if rates | length == 1 else name ~ '_' ~ rate}) -%}
{%- do specs.append(one) -%}
{%- endfor -%}
{%- endif -%}
{%- endfor -%}
{{ return(specs) }}
{%- endmacro -%}

{%- macro gaps_of(macro, call, requested, slicing) -%}
{%- if not slicing.entries -%}
{%- do sqlmetrics.refuse(macro, "by must name the slices that are compared, as in ⟨by⟩='device'") -%}
{%- endif -%}
{%- set min_rows = call.gaps.min_rows -%}
{%- if min_rows is not none and (min_rows is not integer or min_rows is boolean or min_rows < 0) -%}
{%- do sqlmetrics.refuse(macro, 'min_rows must be a whole number >= 0, not ' ~ sqlmetrics.shown(min_rows)) -%}
{%- endif -%}
{%- do sqlmetrics.check_single_values(macro, requested) -%}
{{ return({'gaps': true, 'min_rows': min_rows, 'relative': false, 'test': 't', 'own_intervals': false}) }}
{%- endmacro -%}
