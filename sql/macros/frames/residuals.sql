{#-
title: residuals
rows: one per row of the log
stateless: its bins go from the lowest to the highest residual of all rows
columns: residual (score − label), weight, row_count
metric_parameters:
  bins: {type: integer, default: 20, minimum: 1, doc: number of bins}
-#}

{%- macro residuals(f, rows_from, keys) -%}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys) }}
    score - label as residual,
    weight,
    1 as row_count
from {{ rows_from }}
{{- f.where }}
{%- endmacro -%}
