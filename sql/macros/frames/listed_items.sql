{#-
title: listed items
rows: one per item of a list
stateless: it is a query over the items of all lists, no quotient of sums
columns: group_id, item_id, item_rank
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
-#}

{#- Equal scores are ordered by tie_key, by default the item itself, descending: the same list on every run. -#}
{%- macro listed_items(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set rank = 'row_number() ' ~ sqlmetrics.over(group_keys, 'score desc, tie_key desc nulls last, item_id desc') -%}
{%- set listed_items -%}
select
    {{ sqlmetrics.lines(group_keys + ['item_id', rank ~ ' as item_rank', '1 as row_count']) }}
from {{ rows_from }}
{{- f.where }}
{%- endset -%}
{{ return([sqlmetrics.step(f.cte, listed_items, f.rows, [rows_from])]) }}
{%- endmacro -%}

{#- The first k items of every list. -#}
{%- macro first_items(m) -%}
{{ 'item_rank <= ' ~ m.k if m.k is not none else 'item_rank is not null' }}
{%- endmacro -%}
