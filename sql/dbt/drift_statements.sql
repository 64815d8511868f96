{#- Statements of the drift test. -#}

{#- Columns whose drift exceeds the bound, and columns that cannot be compared. -#}
{%- macro failures_of_columns(macro, call, entries, distance, max_value, current, reference, bins, eps, min_rows) -%}
{%- if distance not in sqlmetrics.results_of_drift() -%}
{%- do sqlmetrics.raise_error(macro, 'distance must be ' ~ sqlmetrics.one_of(sqlmetrics.results_of_drift()) ~ ', not ' ~ sqlmetrics.shown(distance)) -%}
{%- endif -%}
{%- set q = sqlmetrics.planned_drift_of_columns(call, entries, current, reference, bins, eps) -%}
{%- set shown = sqlmetrics.slice_names(macro, call.by, none) + ['column_name'] -%}
{{ sqlmetrics.failures_of_distance(macro, dict(sqlmetrics.drift_steps(q), shown=shown), distance, max_value, min_rows, 'the column has drifted') }}
{%- endmacro -%}

{%- macro failures_of_distance(macro, t, value, max_value, min_rows, message) -%}
{%- do sqlmetrics.check_whole(macro, 'min_rows', min_rows, 1) -%}
{%- set most = sqlmetrics.bound(macro, 'max_value', max_value) -%}
{%- set verdicts = sqlmetrics.verdicts_without_value('least(n, n_reference)', min_rows, value) + [[value ~ ' > ' ~ most, most, "'" ~ message ~ "'"]] -%}
{{ sqlmetrics.failing_rows(
    macro,
    value,
    [sqlmetrics.step('drift', sqlmetrics.written_steps(t.steps, t.ending) ~ '\n' ~ t.ending, stored=true)],
    sqlmetrics.judged_slices(sqlmetrics.slice_text(t.shown), value, [], verdicts, 'from drift'),
    [sqlmetrics.failure_without('drift', 'no rows at all')]
) }}
{%- endmacro -%}
