{#- Macros of metrics and frames by name. dbt's `context` has the macros of each package, and the Python runner provides the same. The
    metric file declares its macros, so a lookup does not test for them. -#}

{#- A macro of a metric. dbt holds macros of the project's own metric files by their bare names. -#}
{%- macro macro_of_metric(name) -%}
{%- set macro = context['sqlmetrics'][name] or context[name] -%}
{%- if not macro -%}
{%- do sqlmetrics.raise_error(none, 'there is no macro ' ~ name ~ '; put the metric file into macros/, and run `sqlmetrics dbt-metrics` again') -%}
{%- endif -%}
{{ return(macro) }}
{%- endmacro -%}
{#- Declarations of the project's metric files as JSON, if the project has the generated macro. -#}
{%- macro project_definitions() -%}{{ context['sqlmetrics_own_metrics']() if 'sqlmetrics_own_metrics' in context else '{}' }}{%- endmacro -%}

{#- A metric's aggregate over its frame, for one column. Group values default to their mean. -#}
{%- macro metric_value(m, column) -%}
{{ sqlmetrics.macro_of_metric(m.name ~ '__value')(dict(m, column=column)) if m.has_value else sqlmetrics.mean_over_groups(m) }}
{%- endmacro -%}
{#- The value of a metric in the steps after its aggregate. -#}
{%- macro value_of(m) -%}{{ m.cte ~ '_metrics.' ~ sqlmetrics.identifier(m.as) }}{%- endmacro -%}
{%- macro metric_per_group(m, column) -%}{{ sqlmetrics.macro_of_metric(m.name ~ '__per_group')(dict(m, column=column)) }}{%- endmacro -%}
{#- The steps of a frame, which returns a text or a list. -#}
{%- macro frame_steps(f, rows_from, keys) -%}
{%- set steps = context['sqlmetrics'][f.name](f, rows_from, keys) -%}
{{ return(sqlmetrics.steps_in(steps) if steps is string else steps) }}
{%- endmacro -%}
{#- Rows of the log with the frame columns they perturb. -#}
{%- macro frame_perturbed(f, metrics, keys) -%}{{ return(context['sqlmetrics'][f.name ~ '__perturbed'](f, metrics, keys)) }}{%- endmacro -%}
{#- Intervals of metrics by one method of inference/influences.sql. -#}
{%- macro influences_by(way, q, f, slicing, metrics) -%}{{ return(context['sqlmetrics']['influences_by_' ~ way](q, f, slicing, metrics)) }}{%- endmacro -%}
