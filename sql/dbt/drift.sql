{#- How far the scores of one part of a score_state lie from those of another, or from those of another state, without the log: a row per
    slice with the rows of both parts, psi and score_distance. psi is the population stability index Σ (p − q)·ln(p / q) over
    bins that hold equal shares of the reference, p and q the shares of both parts, each at least eps; score_distance is the
    largest distance of the two distribution functions (Kolmogorov and Smirnov). From a state with bins the latter is that of
    the bins, no more than that of the scores; scores of one state bin share a bin of psi. current and reference are
    conditions on the state, as "day >= date '2026-03-08'". -#}
{%- macro score_drift(relation=none, current=none, reference=none, reference_relation=none, by=none, bins=10, eps=0.0001, round=none) -%}
{%- if execute -%}
{%- do sqlmetrics.check_digits('score_drift', round) -%}
{%- set t = sqlmetrics.planned_drift('score_drift', relation, current, reference, reference_relation, by, bins, eps, round) -%}
-- drift of the scores of {{ sqlmetrics.comment_text(relation | string) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(t.steps, t.ending ~ sqlmetrics.order_by(t.shown))) }}
{%- endif -%}
{%- endmacro -%}

{#- How far the values of columns of a relation lie from those of another one, against, or of another part of it: a row per slice
    and column, as `sqlmetrics.drift` in Python. columns are numbers, categories are texts and whatever else is a class.
    current and reference are conditions on the rows of both sides. -#}
{%- macro drift(relation=none, columns=none, categories=none, against=none, current=none, reference=none, weight=none, by=none, where=none, bins=10, eps=0.0001, round=none) -%}
{%- if execute -%}
{%- set call = sqlmetrics.call_of('drift', relation, none, {'weight': weight}, {}, {'by': by, 'where': where, 'comparison': {'against': against}, 'round': round}) -%}
{{ sqlmetrics.drift_statement(sqlmetrics.planned_drift_of_columns(call, sqlmetrics.columns_of_drift('drift', columns, categories), current, reference, bins, eps)) }}
{%- endif -%}
{%- endmacro -%}
