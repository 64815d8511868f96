{#- The columns have not drifted from another relation, or from another part of the same relation, in any slice. The distance, psi,
    ks_distance, jensen_shannon or wasserstein, does not exceed max_value (see drift). A slice with fewer than min_rows on either side
    fails, and so does a column without a value. -#}
{% test drift_below(model, max_value, distance='psi', column_name=none, columns=none, categories=none, against=none, current=none, reference=none, weight=none, by=none, where=none, bins=10, eps=0.0001, min_rows=1) -%}
{%- if execute -%}
{%- set columns = sqlmetrics.column_of_test(column_name) if columns is none and categories is none else columns -%}
{%- set call = sqlmetrics.call_of('drift_below', model, none, {'weight': weight}, {}, {'by': by, 'where': where, 'comparison': {'against': sqlmetrics.rows_of_test(against)}}) -%}
{{ sqlmetrics.failures_of_columns('drift_below', call, sqlmetrics.columns_of_drift('drift_below', columns, categories), distance, max_value, current, reference, bins, eps, min_rows) }}
{%- endif -%}
{%- endtest %}
