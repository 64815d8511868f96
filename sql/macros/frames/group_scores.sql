{#-
title: group scores
rows: one per group
columns: group_id, row_count, weight, positives, auc (NULL where the group has one class only)
-#}

{%- macro group_scores(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set ranks = {
    'cte': 'group_ranks' ~ f.suffix,
    'suffix': f.suffix,
    'where': f.where,
    'weighted': f.weighted,
    'two_level': false,
    'uses': ['totals_of_weights'],
    'params': {},
    'ranked': false,
} -%}
{%- if f.weighted -%}
{%- set frame = 'thresholds' -%}
{{ sqlmetrics.thresholds(ranks, rows_from, group_keys) }},
{%- else -%}
{%- set frame = 'ranked_scores' -%}
{{ sqlmetrics.ranked_scores(ranks, rows_from, group_keys) }},
{%- endif %}
{% set group_scores -%}
select
    {{ sqlmetrics.lines(group_keys + [
        ('sum(pos + neg)' if f.weighted else sqlmetrics.to_double('count(*)')) ~ ' as weight',
        'sum(pos) as positives',
        sqlmetrics.indented(sqlmetrics.area_under_roc(frame, f.weighted)) ~ ' as auc',
    ]) }},
    {{ 'sum(row_count)' if f.weighted else 'count(*)' }} as row_count
from group_ranks{{ f.suffix }}
{{- sqlmetrics.group_by(group_keys) }}
{%- endset -%}
{{ sqlmetrics.cte(f.cte, group_scores) }}
{%- endmacro -%}
