{#- Compare the values of columns with those of another relation, against, or of another part of the same relation: a row per slice and
    column, like `sqlmetrics.drift` in Python. Pass numbers as columns, and strings and other classes as categories. current and
    reference are conditions on the rows of both sides. -#}
{%- macro drift(relation=none, columns=none, categories=none, against=none, current=none, reference=none, weight=none, by=none, where=none, bins=10, eps=0.0001, round=none) -%}
{%- if execute -%}
{%- set call = sqlmetrics.call_of('drift', relation, none, {'weight': weight}, {}, {'by': by, 'where': where, 'comparison': {'against': against}, 'round': round}) -%}
{{ sqlmetrics.drift_statement(sqlmetrics.planned_drift_of_columns(call, sqlmetrics.columns_of_drift('drift', columns, categories), current, reference, bins, eps)) }}
{%- endif -%}
{%- endmacro -%}
