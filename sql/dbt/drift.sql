{#- How far the values of columns of a relation lie from those of another one, against, or of another part of it: a row per slice
    and column, as `sqlmetrics.drift` in Python. columns are numbers, categories are texts and whatever else is a class.
    current and reference are conditions on the rows of both sides. -#}
{%- macro drift(relation=none, columns=none, categories=none, against=none, current=none, reference=none, weight=none, by=none, where=none, bins=10, eps=0.0001, round=none) -%}
{%- if execute -%}
{%- set call = sqlmetrics.call_of('drift', relation, none, {'weight': weight}, {}, {'by': by, 'where': where, 'comparison': {'against': against}, 'round': round}) -%}
{{ sqlmetrics.drift_statement(sqlmetrics.planned_drift_of_columns(call, sqlmetrics.columns_of_drift('drift', columns, categories), current, reference, bins, eps)) }}
{%- endif -%}
{%- endmacro -%}
