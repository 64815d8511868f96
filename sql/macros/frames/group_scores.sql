{#-
title: group scores
rows: one per group
totals: sum(weight)
unit: group
diagnostics: {positives: sum(positives), groups: count(*), groups_skipped: count(*) - count(auc)}
columns: group_id, row_count, weight, positives, auc (NULL where the group has one class only)
-#}

{#- On DuckDB, groups are sorted by a hash of their name: gauc takes a quarter less time. The names reveal hash collisions. -#}
{%- macro group_scores(f, rows_from, keys) -%}
{%- set items = 'items_of_hashed_groups' ~ f.suffix if f.hashed_groups else rows_from -%}
{%- set group_keys = keys + ['group_hash' if f.hashed_groups else 'group_id'] -%}
{%- set ranks = dict(f, cte='group_ranks' ~ f.suffix, rows='one per row or score of a group', suffix='_of_groups' ~ f.suffix, two_level=false, uses=['totals_of_weights']) -%}
{%- set area = sqlmetrics.area_under_roc('thresholds' if f.weighted else 'ranked_scores', f.weighted) -%}
{{ sqlmetrics.items_of_hashed_groups(f, rows_from) if f.hashed_groups }}
{{ sqlmetrics.thresholds_of_counts(ranks, items, group_keys) if f.weighted else sqlmetrics.ranked_scores(ranks, items, group_keys) }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys) }}
    {{ 'min(group_id) as group_id' if f.hashed_groups else 'group_id' }},
    {{ 'sum(pos + neg)' if f.weighted else sqlmetrics.to_double('count(*)') }} as weight,
    sum(pos) as positives,
    {{ sqlmetrics.indented(sqlmetrics.of_one_group(area) if f.hashed_groups else area) }} as auc,
    {{ 'sum(row_count)' if f.weighted else 'count(*)' }} as row_count
from {{ ranks.cte }}
{{- sqlmetrics.group_by(group_keys) }}
{%- endmacro -%}

{%- macro of_one_group(value) -%}
case
    when min(group_id) = max(group_id)
        then {{ value | indent(8) }}
    else {{ sqlmetrics.raised("'two groups have the same hash: ' || min(group_id) || ' and ' || max(group_id) || '; shape=''rows'' does without it'") }}
end
{%- endmacro -%}
