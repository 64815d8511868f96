{#-
title: listed items
rows: one per item of a list
state: {of: group, keys: [item_id], sums: {exposures: "1", shares: "1 / list_length", roots: "1 / sqrt(list_length)"}, uses: [list_length]}
columns: group_id, item_id and, where a metric uses them, item_rank (if it has k) and list_length
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
-#}

{%- macro listed_items(f, rows_from, keys) -%}{{ sqlmetrics.lists(f, f.cte, rows_from, keys) }}{%- endmacro -%}

{#- The step of frames over lists. Equal scores are ordered by tie_key (default: the item), descending, so every run has the same list. Ranks
    need a sort and are added only if a metric has k; lists that several steps read (`repeated`) are then sorted once. -#}
{%- macro lists(f, name, rows_from, keys, carried=[], repeated=false) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set cuts = sqlmetrics.cuts(f) | length > 0 -%}
{{ sqlmetrics.cte(name, 'one per item of a list', materialized=cuts and repeated) }}
select
    {{- sqlmetrics.leading(group_keys + ['item_id'] + carried) }}
{%- if cuts %}
    row_number() {{ sqlmetrics.over(group_keys, sqlmetrics.order_of_lists(f)) }} as item_rank,
{%- endif %}
{%- if 'list_length' in f.uses %}
    {{ sqlmetrics.to_double('count(*) ' ~ sqlmetrics.over(group_keys)) }} as list_length,
{%- endif %}
    1 as row_count
from {{ rows_from }}
{{- f.where }}
{%- endmacro -%}

{%- macro order_of_lists(f) -%}
{%- set ties = [] if f.tie_key_is_item else [sqlmetrics.key_order('tie_key', 'desc')] -%}
{{ sqlmetrics.in_order(['score desc'] + ties + [sqlmetrics.key_order('item_id', 'desc')]) }}
{%- endmacro -%}

{%- macro cuts(f) -%}{{ return(f.metrics | map(attribute='k') | reject('none') | list) }}{%- endmacro -%}

{%- macro rank_to_cut(f) -%}{{ return(['item_rank'] if sqlmetrics.cuts(f) else []) }}{%- endmacro -%}

{#- The condition for items that any metric reads; empty if a metric reads whole lists. -#}
{%- macro within_cuts(f) -%}
{%- set cuts = sqlmetrics.cuts(f) -%}
{{ return('item_rank <= ' ~ cuts | max if cuts | length == f.metrics | length else '') }}
{%- endmacro -%}

{%- macro sum_of_first(k, value, rank='item_rank') -%}
{{ return('sum(' ~ value ~ ')' if k is none else sqlmetrics.sum_within(value, rank, k)) }}
{%- endmacro -%}

{%- macro count_of_first(k) -%}{{ return('count(*)' if k is none else sqlmetrics.sum_of_first(k, '1')) }}{%- endmacro -%}

{#- Last step of frames over lists: one row per group, with the columns of each metric. -#}
{%- macro values_of_lists(f, from, keys, row_count) -%}
{%- set values = (['max(group_weight) as group_weight'] if f.group_weight else []) + sqlmetrics.columns_of_groups(f) -%}
{{ sqlmetrics.cte(f.cte, f.rows) }}
{{ sqlmetrics.sums_by(keys + ['group_id'], values, from, row_count=row_count) }}
{%- endmacro -%}

{#- One row per item of a slice in the first k of some list. `exposures` counts these lists, `shares` is Σ 1 / length (over all items, the
    number of lists), `roots` is Σ 1 / √length. Parts of a state already have these columns. -#}
{%- macro items_of_lists(m, rows_from, keys, names) -%}
{%- set sums = sqlmetrics.sums_of_lists(m) -%}
select
    {{ sqlmetrics.select_list(keys + ['item_id']) }}
    {%- for sum in sums if sum.counted in names %},
    {{ sum.name if m.of_parts else sqlmetrics.to_double('sum(' ~ sum.value ~ ')') }} as {{ sum.counted }}
    {%- endfor %}
from {{ rows_from }}
{%- if m.of_parts %}
where {{ sums[0].name }} > 0
{%- else %} as lists
{{- '\nwhere item_rank <= ' ~ m.k if m.k is not none }}
{{- sqlmetrics.group_by(keys + ['item_id']) }}
{%- endif -%}
{%- endmacro -%}

{#- Sums per item, with their names in a state, which include k. -#}
{%- macro sums_of_lists(m) -%}
{%- set sums = [] -%}
{%- for name, value in sqlmetrics.known_frames()['listed_items'].state.sums.items() -%}
{%- set cut = value if m.k is none else value | replace('list_length', 'least(list_length, ' ~ m.k ~ ')') -%}
{%- do sums.append({'counted': name, 'name': sqlmetrics.name_of_cut(m, name), 'value': cut}) -%}
{%- endfor -%}
{{ return(sums) }}
{%- endmacro -%}

{%- macro name_of_cut(m, name) -%}{{ return(name ~ ('' if m.k is none else '_at_' ~ m.k)) }}{%- endmacro -%}

{%- macro number_of_lists() -%}floor(sum(shares) + 0.5){%- endmacro -%}
