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

{#- How many rows of the log there are: where those that are read are parts of a state (f.of_parts), each counts its own. -#}
{%- macro rows_added_up(f) -%}
{{ 'sum(row_count)' if f.of_parts else 'count(*)' }}
{%- endmacro -%}
