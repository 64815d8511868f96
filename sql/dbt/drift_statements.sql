{#- Statements of the drift test. -#}

{#- Columns whose drift exceeds the bound, and columns that cannot be compared. -#}
{%- macro failures_of_columns(macro, call, entries, distance, max_value, current, reference, bins, eps, min_rows) -%}
{%- if distance not in sqlmetrics.results_of_drift() -%}
{%- do sqlmetrics.raise_error(macro, 'distance must be ' ~ sqlmetrics.one_of(sqlmetrics.results_of_drift()) ~ ', not ' ~ sqlmetrics.shown(distance)) -%}
{%- endif -%}
{%- set q = sqlmetrics.planned_drift_of_columns(call, entries, current, reference, bins, eps) -%}
{%- set shown = sqlmetrics.slice_names(macro, call.by, none) + ['column_name'] -%}
{%- set t = sqlmetrics.drift_steps(q) -%}
{%- do sqlmetrics.check_whole(macro, 'min_rows', min_rows, 1) -%}
{%- set most = sqlmetrics.bound(macro, 'max_value', max_value) -%}
{%- set verdicts = sqlmetrics.verdicts_without_value('least(n, n_reference)', min_rows, distance)
    + [[distance ~ ' > ' ~ most, most, "'the column has drifted'"]] -%}
{{ sqlmetrics.failing_rows(
    macro,
    distance,
    [sqlmetrics.step('drift', sqlmetrics.written_steps(t.steps, t.ending) ~ '\n' ~ t.ending, materialized=true)],
    sqlmetrics.judged_slices(sqlmetrics.slice_text(shown), distance, [], verdicts, 'from drift'),
    [sqlmetrics.failure_without('drift', 'no rows at all')]
) }}
{%- endmacro -%}
