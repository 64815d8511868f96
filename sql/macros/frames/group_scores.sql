{#-
title: group scores
rows: one per group
unit: group
diagnostics: {positives: sum(positives), groups: count(*), groups_skipped: count(*) - count(auc)}
columns: group_id, row_count, weight, positives, auc (NULL where the group has one class only)
-#}

{%- macro group_scores(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set ranks = dict(f, cte='group_ranks' ~ f.suffix, rows='one per row or score of a group', two_level=false, uses=['totals_of_weights'], params={}, ranked=false) -%}
{%- set frame = 'thresholds' if f.weighted else 'ranked_scores' -%}
{%- set ranked = sqlmetrics.thresholds(ranks, rows_from, group_keys) if f.weighted else sqlmetrics.ranked_scores(ranks, rows_from, group_keys) -%}
{%- set group_scores -%}
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
{{ return(ranked + [sqlmetrics.step(f.cte, group_scores, f.rows, [ranks.cte])]) }}
{%- endmacro -%}
