{#-
title: errors
rows: one per distinct size of the error
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
{%- set errors -%}
select
    {{ sqlmetrics.lines(keys + [
        'error',
        'weight',
        'sum(weight) ' ~ sqlmetrics.over(keys, 'error rows unbounded preceding') ~ ' as reached',
        'sum(weight) ' ~ sqlmetrics.over(keys) ~ ' as total',
        'row_count',
    ]) }}
from distinct_errors{{ f.suffix }}
{%- endset -%}
{{ sqlmetrics.cte('distinct_errors' ~ f.suffix, distinct_errors) }},
{% if f.two_level -%}
{{ sqlmetrics.sums_in_two_levels(
    f.cte, 'distinct_errors' ~ f.suffix, keys, 'error', '', ['error', 'weight', 'row_count'],
    {'weight': 'weight'},
    [{'measure': 'weight', 'reach': 'here', 'as': 'reached'}, {'measure': 'weight', 'reach': 'all', 'as': 'total'}],
) }}
{%- else -%}
{{ sqlmetrics.cte(f.cte, errors) }}
{%- endif -%}
{%- endmacro -%}
