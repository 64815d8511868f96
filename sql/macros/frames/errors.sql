{#-
title: errors
rows: one per distinct size of the error
stateless: the median of all rows is not a function of the medians of parts
columns: error (|label − score|), weight, reached (the weight of the errors up to this one), total (of all), row_count
-#}

{%- macro errors(f, rows_from, keys) -%}
{{ sqlmetrics.cte('distinct_errors' ~ f.suffix, 'one per distinct size of the error') }}
{{ sqlmetrics.sums_by(keys + ['abs(label - score) as error'], ['sum(weight) as weight'], rows_from, f.where) }}
{{ sqlmetrics.sums_in_order(f, f.cte, f.rows, 'distinct_errors' ~ f.suffix, keys, 'error', ' asc', ['error', 'weight', 'row_count'], {'reached': ['weight', 'cumulative'], 'total': ['weight', 'total']}) }}
{%- endmacro -%}
