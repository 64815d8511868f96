{#-
title: class pairs
rows: one per pair of true and predicted class
slices: columns
columns: label_class, predicted_class, weight, row_count
-#}

{%- macro class_pairs(f, rows_from, keys) -%}
{%- set class_pairs -%}
select
    {{ sqlmetrics.lines(keys + ['label_class', 'predicted_class', 'sum(weight) as weight']) }},
    count(*) as row_count
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys + ['label_class', 'predicted_class']) }}
{%- endset -%}
{{ return([sqlmetrics.step(f.cte, class_pairs, 'one per pair of true and predicted class', [rows_from], stored=true)]) }}
{%- endmacro -%}
