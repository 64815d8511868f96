{#-
title: errors
rows: one per distinct size of the error
stateless: the median of all rows is not a function of the medians of parts
columns: error (|label − score|), weight, reached (the weight of the errors up to this one), total (of all), row_count
-#}

{%- macro errors(f, rows_from, keys) -%}
{%- set sums = [{'measure': 'weight', 'scope': 'cumulative', 'as': 'reached'}, {'measure': 'weight', 'scope': 'total', 'as': 'total'}] -%}
{{ sqlmetrics.cte('distinct_errors' ~ f.suffix, 'one per distinct size of the error') }}
{{ sqlmetrics.sums_by(keys + ['abs(label - score) as error'], ['sum(weight) as weight'], rows_from, f.where) }}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(f, 'distinct_errors' ~ f.suffix, keys, 'error', ' asc', ['error', 'weight', 'row_count'], {'weight': 'weight'}, sums)) }}
{%- endmacro -%}
