{#- The macro of a metric or of a frame by its name. dbt's `context` holds the macros of each package, and the Python runner provides the
    same. A metric's file says which macros it has: a lookup is no test of that. -#}

{#- A macro of a metric. Those of a metric file in the project's own `macros/` dbt holds by their names alone. -#}
{%- macro macro_of_metric(name) -%}
{%- set macro = context['sqlmetrics'][name] or context[name] -%}
{%- if not macro -%}
{%- do sqlmetrics.raise_error(none, 'there is no macro ' ~ name ~ '; put the metric file into macros/, and run `sqlmetrics dbt-metrics` again') -%}
{%- endif -%}
{{ return(macro) }}
{%- endmacro -%}
{#- The JSON of what the metric files in the project's `macros/` declare, where the project has a macro of it. -#}
{%- macro project_definitions() -%}{{ context['sqlmetrics_own_metrics']() if 'sqlmetrics_own_metrics' in context else '{}' }}{%- endmacro -%}

{#- A metric's aggregate over its frame, for one of its columns; of a value per group, the mean unless the file says else. -#}
{%- macro metric_value(m, column) -%}
{{ sqlmetrics.macro_of_metric(m.name ~ '__value')(dict(m, column=column)) if m.has_value else sqlmetrics.mean_over_groups(m) }}
{%- endmacro -%}
{#- A metric's value inside one group. -#}
{%- macro metric_per_group(m, column) -%}{{ sqlmetrics.macro_of_metric(m.name ~ '__per_group')(dict(m, column=column)) }}{%- endmacro -%}
{#- How fast a metric moves with the weight of a row. -#}
{%- macro metric_influence(m) -%}{{ sqlmetrics.macro_of_metric(m.name ~ '__influence')(m) }}{%- endmacro -%}
{#- Of a metric that is the largest of all thresholds, what it is the largest of. -#}
{%- macro metric_height(m) -%}{{ sqlmetrics.macro_of_metric(m.name ~ '__height')(m) }}{%- endmacro -%}
{#- The same from sums over rows, at the threshold where it is largest. -#}
{%- macro metric_at_cut(m) -%}{{ sqlmetrics.macro_of_metric(m.name ~ '__at_cut')(m) }}{%- endmacro -%}
{#- The same from sums over rows, each of which holds what it finds at its rank among all. -#}
{%- macro metric_held(m) -%}{{ sqlmetrics.macro_of_metric(m.name ~ '__held')(m) }}{%- endmacro -%}
{#- The rows of a table metric. -#}
{%- macro metric_table(m, f, keys) -%}{{ sqlmetrics.macro_of_metric(m.name ~ '__table')(m, f, keys) }}{%- endmacro -%}
{#- For each row of the log, the row of a table that it belongs to. -#}
{%- macro metric_cells(m, f, rows_from, keys, carried) -%}
{{ sqlmetrics.macro_of_metric(m.name ~ '__cells')(m, f, rows_from, keys, carried) }}
{%- endmacro -%}
{#- The statement of a metric that is a whole query over its frame: one row per slice. -#}
{%- macro metric_query(m, rows_from, keys) -%}{{ sqlmetrics.macro_of_metric(m.name ~ '__query')(m, rows_from, keys) }}{%- endmacro -%}
{#- A canonical column that a metric computes from the user's. -#}
{%- macro computed_column(computation) -%}
{{ sqlmetrics.macro_of_metric(computation.computed_by ~ '__computed')(computation) }}
{%- endmacro -%}
{#- The steps of a frame, which is their text or the list of them. -#}
{%- macro frame_steps(f, rows_from, keys) -%}
{%- set steps = context['sqlmetrics'][f.name](f, rows_from, keys) -%}
{{ return(sqlmetrics.steps_in(steps) if steps is string else steps) }}
{%- endmacro -%}
{#- How a row of the log finds what it moves of a frame. -#}
{%- macro frame_moved(f, metrics, keys) -%}{{ return(context['sqlmetrics'][f.name ~ '__moved'](f, metrics, keys)) }}{%- endmacro -%}
{#- How sure metrics are, by one of the ways of inference/influences.sql. -#}
{%- macro influences_by(way, q, f, slicing, metrics) -%}{{ return(context['sqlmetrics']['influences_by_' ~ way](q, f, slicing, metrics)) }}{%- endmacro -%}
