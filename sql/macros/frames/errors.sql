{#-
title: errors
rows: one per distinct size of the error
stateless: the median of all rows does not follow from those of the parts
columns: error (|label − score|), weight, reached (the weight of the errors up to this one), total (of all), row_count
-#}

{%- macro errors(f, rows_from, keys) -%}
{%- set distinct_errors -%}
select
    {{ sqlmetrics.lines(keys + ['abs(label - score) as error', 'sum(weight) as weight']) }},
    count(*) as row_count
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys + ['abs(label - score)']) }}
{%- endset -%}
{%- set distinct = 'distinct_errors' ~ f.suffix -%}
{%- set sums = [{'measure': 'weight', 'reach': 'here', 'as': 'reached'}, {'measure': 'weight', 'reach': 'all', 'as': 'total'}] -%}
{{ return(
    [sqlmetrics.step(distinct, distinct_errors, 'one per distinct size of the error')]
    + sqlmetrics.running_sums(f, distinct, keys, 'error', ' asc', ['error', 'weight', 'row_count'], {'weight': 'weight'}, sums)
) }}
{%- endmacro -%}
