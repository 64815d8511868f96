{#- The columns have not drifted from another relation, or from another part of the same relation, in any slice. The distance, psi,
    ks_distance, jensen_shannon or wasserstein, does not exceed max_value (see drift). A slice with fewer than min_rows on either side
    fails, and so does a column without a value. -#}
{% test drift_below(model, max_value, distance='psi', column_name=none, columns=none, categories=none, against=none, current=none, reference=none, weight=none, by=none, where=none, bins=10, eps=0.0001, min_rows=1) -%}
{%- if execute -%}
{%- set columns = sqlmetrics.column_of_test(column_name) if columns is none and categories is none else columns -%}
{%- set call = sqlmetrics.call_of('drift_below', model, none, {'weight': weight}, {}, {'by': by, 'where': where, 'comparison': {'against': sqlmetrics.rows_of_test(against)}}) -%}
{%- set distances = sqlmetrics.results_of_drift() -%}
{%- do sqlmetrics.check_rules('drift_below', [
    [distance not in distances, 'distance must be ' ~ sqlmetrics.one_of(distances) ~ ', not ' ~ sqlmetrics.shown(distance)],
    sqlmetrics.whole_number_rule('min_rows', min_rows, 1),
]) -%}
{%- set entries = sqlmetrics.columns_of_drift('drift_below', columns, categories) -%}
{%- set t = sqlmetrics.drift_steps(sqlmetrics.planned_drift_of_columns(call, entries, current, reference, bins, eps)) -%}
{%- set most = sqlmetrics.bound('drift_below', 'max_value', max_value) -%}
{%- set verdicts = sqlmetrics.verdicts_without_value('least(n, n_reference)', min_rows, distance)
    + [[distance ~ ' > ' ~ most, most, "'the column has drifted'"]] -%}
{%- set slice = sqlmetrics.slice_text(sqlmetrics.slice_names('drift_below', by, none) + ['column_name']) -%}
{{ sqlmetrics.failing_rows(
    'drift_below',
    distance,
    [sqlmetrics.step('drift', sqlmetrics.written_steps(t.steps, t.ending) ~ '\n' ~ t.ending, materialized=true)],
    sqlmetrics.judged_slices(slice, distance, [], verdicts, 'from drift'),
    [sqlmetrics.failure_without('drift', 'no rows at all')]
) }}
{%- endif -%}
{%- endtest %}
