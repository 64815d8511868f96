{#-
title: listed items
rows: one per item of a list
columns: group_id, item_id, item_rank
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
-#}

{#- Equal scores are ordered by tie_key, by default the item itself, descending: the same list on every run. -#}
{%- macro listed_items(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set items = group_keys + ['item_id'] -%}
{%- set _ = items.append('row_number() ' ~ sqlmetrics.over(group_keys, 'score desc, tie_key desc nulls last, item_id desc') ~ ' as item_rank') -%}
{%- set listed_items -%}
select
    {{ sqlmetrics.lines(items + ['1 as row_count']) }}
from {{ rows_from }}
{{- f.where }}
{%- endset -%}
{{ sqlmetrics.cte(f.cte, listed_items) }}
{%- endmacro -%}

{#- The first k items of every list. -#}
{%- macro first_items(m) -%}
{{ 'item_rank <= ' ~ m.k if m.k is not none else 'item_rank is not null' }}
{%- endmacro -%}
