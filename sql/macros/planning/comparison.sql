{#- Which models a call compares, and by what: what `against`, `baseline`, `relative`, `test`, `adjust` and `power` mean. -#}

{#- What is told apart by `model_id`: several scores, or two relations. -#}
{%- macro models_compared(macro, call, scores) -%}
{%- if call.comparison is none or call.comparison.against is none -%}
{{ return(scores if scores | length > 1 else []) }}
{%- endif -%}
{%- if scores | length > 1 -%}
{%- do sqlmetrics.refuse(macro, 'against compares two relations by one score; give a single ⟨score⟩, or leave ⟨against⟩ out') -%}
{%- elif call.comparison.baseline is not none -%}
{%- do sqlmetrics.refuse(macro, 'baseline names one of several scores; ⟨against⟩ is the baseline itself: leave ⟨baseline⟩ out') -%}
{%- endif -%}
{{ return([{'name': 'data'}, {'name': 'against'}]) }}
{%- endmacro -%}

{#- The other relation's columns have the same names, unless its score is said to have another. -#}
{%- macro columns_of_against(macro, comparison, columns) -%}
{%- set found = dict(columns) -%}
{%- if 'score_of_against' in comparison and comparison.score_of_against is not none and 'score' in columns -%}
{%- do found.update({'score': sqlmetrics.role_value(macro, 'score', comparison.score_of_against)}) -%}
{%- endif -%}
{{ return(found) }}
{%- endmacro -%}

{#- None where nothing is compared; else the place of the baseline among the models, and how the difference is told. With
    `own_intervals` the intervals of both values stand beside that of the difference: a page has all three of one statement. -#}
{%- macro comparison_of(macro, call, requested, models, slicing) -%}
{%- set given = call.comparison -%}
{%- if given is none -%}
{{ return(none) }}
{%- endif -%}
{%- if models | length < 2 -%}
{%- do sqlmetrics.refuse(macro, "a comparison needs two scores at least, as in ⟨score⟩=['old', 'new'], or ⟨against⟩, the relation with which the data are compared") -%}
{%- endif -%}
{%- set names = sqlmetrics.names_of(models) -%}
{%- set first = names[0] if given.against is none else names[1] -%}
{%- set baseline = first if given.baseline is none else given.baseline -%}
{%- if baseline not in names -%}
{%- do sqlmetrics.refuse(macro, 'baseline must be one of the scores (' ~ names | join(', ') ~ '), not ' ~ sqlmetrics.shown(baseline)) -%}
{%- endif -%}
{%- if given.adjust not in [none, 'holm', 'bh'] -%}
{%- do sqlmetrics.refuse(macro, "adjust must be 'holm', 'bh' or none, not " ~ sqlmetrics.shown(given.adjust)) -%}
{%- endif -%}
{%- if given.power is not number or given.power is boolean or not (0.5 <= given.power and given.power <= 0.999) -%}
{%- do sqlmetrics.refuse(macro, 'power must be a number between 0.5 and 0.999, as in 0.8, not ' ~ sqlmetrics.shown(given.power)) -%}
{%- endif -%}
{%- if given.relative is not boolean -%}
{%- do sqlmetrics.refuse(macro, 'relative must be true or false, not ' ~ sqlmetrics.shown(given.relative)) -%}
{%- endif -%}
{%- if given.test not in ['t', 'wilcoxon', 'randomization'] -%}
{%- do sqlmetrics.refuse(macro, "test must be 't', 'wilcoxon' or 'randomization', not " ~ sqlmetrics.shown(given.test)) -%}
{%- elif given.test != 't' and 'tests_in_python' not in given -%}
{%- do sqlmetrics.refuse(macro, "SciPy computes ⟨test⟩='" ~ given.test ~ "', which no SQL does: call sqlmetrics.compare in Python, or `sqlmetrics compare` on the shell; rendered SQL and dbt take ⟨test⟩='t'") -%}
{%- endif -%}
{%- for one in requested if given.test != 't' and one.metric.ideal is not none -%}
{%- do sqlmetrics.refuse(macro, 'test: ' ~ one.name ~ ' is best near ' ~ one.metric.ideal ~ ', and ' ~ given.test ~ ' is about what is higher; leave ⟨test⟩ out') -%}
{%- endfor -%}
{%- for one in requested if one.metric.no_interval -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ' has no interval: ' ~ one.metric.no_interval ~ '; leave it out') -%}
{%- endfor -%}
{%- do sqlmetrics.check_single_values(macro, requested) -%}
{%- for name in sqlmetrics.names_of(slicing.entries) if name | lower in sqlmetrics.columns_of_a_comparison(given.against is not none) -%}
{%- do sqlmetrics.refuse(macro, "by: the slice '" ~ name ~ "' has the name of a column of every comparison; name it as in ⟨by⟩=\"my_" ~ name | lower ~ ' = ' ~ name ~ '"') -%}
{%- endfor -%}
{{ return({
    'gaps': false,
    'min_rows': given.min_rows if 'min_rows' in given else none,
    'baseline': sqlmetrics.position_of(baseline, names),
    'relative': given.relative,
    'test': given.test,
    'cluster_differences': false,
    'adjust': given.adjust,
    'own_intervals': 'own_intervals' in given and given.own_intervals,
    'level': '1 - ' ~ sqlmetrics.number(call.confidence),
    'power': sqlmetrics.normal_quantile(given.power),
}) }}
{%- endmacro -%}

{%- macro check_single_values(macro, requested) -%}
{%- for one in requested if one.metric.table or one.metric.name not in one['columns'] -%}
{%- do sqlmetrics.refuse(macro, one.name ~ ' has no single value that could be compared') -%}
{%- endfor -%}
{%- endmacro -%}

{%- macro columns_of_a_comparison(of_relations) -%}
{{ return((['shared_clusters'] if of_relations else []) + ['grouping', 'metric', 'model', 'baseline', 'value', 'baseline_value', 'difference', 'difference_low', 'difference_high', 'standard_error', 'p_value', 'p_adjusted', 'detectable_difference', 'n', 'clusters', 'verdict']) }}
{%- endmacro -%}

{#- Rows of their own must be known again in each model, where some metric is made of them and no cluster is given. -#}
{%- macro rows_are_numbered(requested, comparison, certainty) -%}
{%- if comparison is none or comparison.gaps or certainty.cluster is not none -%}
{{ return(false) }}
{%- endif -%}
{%- for one in requested -%}
{%- for name in one.metric.frames if sqlmetrics.known_frames()[name].unit != 'group' -%}
{{ return(true) }}
{%- endfor -%}
{%- endfor -%}
{{ return(false) }}
{%- endmacro -%}
