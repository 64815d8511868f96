{#-
title: class pairs
rows: one per pair of true and predicted class
slices: columns
state: {keys: [label_class, predicted_class], sums: {weight: weight}}
columns: label_class, predicted_class, weight, row_count
-#}

{%- macro class_pairs(f, rows_from, keys) -%}
{%- set class_pairs -%}
select
    {{ sqlmetrics.lines(keys + ['label_class', 'predicted_class', 'sum(weight) as weight']) }},
    {{ sqlmetrics.rows_added_up(f) }} as row_count
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys + ['label_class', 'predicted_class']) }}
{%- endset -%}
{{ return([sqlmetrics.step(f.cte, class_pairs, 'one per pair of true and predicted class', [rows_from], stored=true)]) }}
{%- endmacro -%}

{#- Where a row of the log, `scored`, finds what it moves of its classes: in `labels` of that of its label, in `calls` of that which was
    predicted, and in `totals`, where something of all classes moves, what that does. `pulls` has it by class. -#}
{%- macro pulls_of_classes(f, metrics, keys, pulls) -%}
{%- set of_all = f.cte ~ '_pulls_of_all' -%}
{%- set totals = [] -%}
{%- for m in metrics if 'weight_of_all' in m.moved -%}
{%- do totals.append('sum(pull_' ~ m.number ~ '_weight_of_all) as pull_' ~ m.number ~ '_weight_of_all') -%}
{%- endfor -%}
{%- set pulls_of_all -%}
select
    {{ sqlmetrics.lines(keys + totals) }}
from {{ pulls }}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- set joined = [
    {'step': pulls, 'as': 'labels', 'same': ['scored.label_class = labels.own_class']},
    {'step': pulls, 'as': 'calls', 'same': ['scored.predicted_class = calls.own_class']},
] -%}
{{ return({
    'steps': [sqlmetrics.step(of_all, pulls_of_all, 'what more of that which all classes share does', [pulls])] if totals else [],
    'joined': joined + ([{'step': of_all, 'as': 'totals', 'same': []}] if totals else []),
}) }}
{%- endmacro -%}

{#- How many rows of the log there are: where those that are read are parts of a state (f.of_parts), each counts its own. -#}
{%- macro rows_added_up(f) -%}
{{ 'sum(row_count)' if f.of_parts else 'count(*)' }}
{%- endmacro -%}
