{#-
title: overlaps of lists
rows: one per group, from the items in both of its lists
unit: group
group_values: columns
columns: group_id, first_length and second_length (of the lists) and, per metric, the overlap and the sum of weights of the items in both
relations: [judgments]
parameters:
  ties:
    default: worst
    choices:
      worst: of equal values the item that is lower in the other list comes first
      best: of equal values the item that is higher in the other list comes first
      key: equal values are ordered by the role tie_key, descending (by item if it is not set)
    doc: the order of items with equal scores or equal labels
    presets: {trec_eval: key, lightgbm: key, spark: key}
  missing:
    default: zero
    choices: {zero: counts as 0, skip: dropped from the mean}
    doc: 'a judged group without a returned item, or without one that matches `where`; it counts overall, in no slice'
    presets: {trec_eval: skip, spark: zero}
  relevant_at: {type: number, default: null, doc: 'the list by label has the items with at least this label, equal labels in the order of the other list; all items by default'}
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top of both lists; the whole lists by default}
  empty: {default: skip, choices: {skip: dropped from the mean, zero: counts as 0, one: counts as 1}, doc: what a group without any relevant item counts as, presets: {sklearn: zero, trec_eval: zero, spark: zero}}
-#}

{#- One list is sorted by score, the other by label. Without judgments they have the same items, and full ties the same order. -#}
{%- macro list_overlaps(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set own = group_keys + (['group_weight'] if f.group_weight else []) -%}
{%- set items = 'overlapping_items' ~ f.suffix if f.judged else rows_from -%}
{%- set ideal = f.params.relevant_at is not none -%}
{%- set in_second = (['judged = 1'] if f.judged else []) + (['label >= ' ~ sqlmetrics.number(f.params.relevant_at)] if ideal else []) -%}
{%- set first_order = ('returned desc, ' if f.judged else '') ~ 'score desc, ' ~ sqlmetrics.order_of_ties(f, 'judged', 'label') -%}
{%- set second_order = 'case when ' ~ in_second | join(' and ') ~ ' then 1 else 0 end desc, label desc, first_rank asc nulls last' if ideal
    else ('judged desc, ' if f.judged else '') ~ 'label desc, ' ~ sqlmetrics.order_of_ties(f, 'returned', 'score') ~ ', first_rank asc' -%}
{%- set second_rank = 'row_number() ' ~ sqlmetrics.over(group_keys, second_order) -%}
{%- set depth = 'greatest(first_rank, second_rank)' -%}
{%- set weighted = f.metrics | selectattr('p', 'defined') | list -%}
{%- set sums -%}
{%- for m in f.metrics -%}{{ '\n    ' ~ sqlmetrics.sums_of_overlap(m) }}{%- endfor -%}
{%- endset -%}
{%- set values = sqlmetrics.columns_of_groups(f) -%}
{{ sqlmetrics.judged_items(f, items, rows_from, keys) if f.judged }}
{{ sqlmetrics.cte('first_ranks' ~ f.suffix, 'one per item, with its rank by score') }}
select
    {{- sqlmetrics.leading(own + ['score', 'label'] + (['tie_key'] if f.params.ties == 'key' else []) + (['returned', 'judged'] if f.judged else [])) }}
    {{ sqlmetrics.indented(sqlmetrics.when_returned(f, 'row_number() ' ~ sqlmetrics.over(group_keys, first_order))) }} as first_rank
from {{ items }}
{{- '' if f.judged else f.where }}
{{ sqlmetrics.cte('list_ranks' ~ f.suffix, 'one per item, with its ranks by score and by label', materialized=weighted | length > 0) }}
select
    {{- sqlmetrics.leading(own + ['first_rank']) }}
    {%- if 'shorter_length' in sums %}
    least(
        count(first_rank) {{ sqlmetrics.over(group_keys) }},
        count(case when {{ in_second | join(' and ') }} then 1 end) {{ sqlmetrics.over(group_keys) }}
    ) as shorter_length,
    {%- endif %}
    {{ sqlmetrics.indented(sqlmetrics.case_when(in_second | join(' and '), second_rank) if in_second else second_rank) }} as second_rank
from first_ranks{{ f.suffix }}
{%- if weighted %}
{{ sqlmetrics.cte('depths' ~ f.suffix, 'one per depth of the longest list, with the sum of the weights from there on', materialized=true) }}
select
{%- for m in weighted %}
    {{ sqlmetrics.weights_from_depth(m) }} as {{ sqlmetrics.overlap_column(m, 'tail') }},
{%- endfor %}
    depth
from (
    select distinct first_rank as depth
    from list_ranks{{ f.suffix }}
    {%- if f.judged %}
    {{ sqlmetrics.union_distinct() }}
    select distinct second_rank as depth
    from list_ranks{{ f.suffix }}
    {%- endif %}
) as all_depths
where depth is not null
{%- endif %}
{#- An item overlaps at every depth from its worse rank on. A sum over depths is a sum over items of the weights from there. #}
{{ sqlmetrics.cte('lists' ~ f.suffix, 'one per group, with the items in both lists') }}
select
    {{- sqlmetrics.leading(group_keys + (['max(group_weight) as group_weight'] if f.group_weight else [])) }}
    {{- sums }}
    count(first_rank) as first_length,
    count(second_rank) as second_length
from (
    select
        *,
        {{ sqlmetrics.case_when('first_rank is not null and second_rank is not null', depth) if in_second else depth }} as common_depth
    from list_ranks{{ f.suffix }}
) as items
{%- if weighted %}
left join depths{{ f.suffix }} as depths on items.common_depth = depths.depth
{%- endif %}
{{- sqlmetrics.group_by(group_keys) }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(group_keys + (['group_weight'] if f.group_weight else []) + values) }}
    first_length as row_count
from lists{{ f.suffix }} as lists
{%- for list in ['first', 'second'] if 'below_' ~ list in values | join %}
left join depths{{ f.suffix }} as below_{{ list }} on lists.{{ list }}_length + 1 = below_{{ list }}.depth
{%- endfor %}
{%- endmacro -%}

{#- Ties of one list follow the order of the other list, which may lack an item. -#}
{%- macro order_of_ties(f, in_other, value) -%}
{%- set direction = ' desc' if f.params.ties == 'best' else ' asc' -%}
{{ sqlmetrics.key_order('tie_key', 'desc') ~ ', ' if f.params.ties == 'key' }}{{ in_other ~ direction ~ ', ' if f.judged }}{{ value ~ direction }}
{%- endmacro -%}

{%- macro overlap_column(m, name) -%}{{ sqlmetrics.identifier(m.as ~ '_' ~ name) }}{%- endmacro -%}

{#- Σ p^(d − 1) / d over the depths d from here on, up to k; summed from the deepest, because differences of large sums lose digits. With
    `beyond` = disjoint, the overlap at the end holds for all further depths; the infinite series is −ln(1 − p) / p. -#}
{%- macro weights_from_depth(m) -%}
{%- set p = sqlmetrics.to_double(sqlmetrics.number(m.p)) -%}
{%- set weight = sqlmetrics.power_of_rank(p, 'depth - 1') ~ ' / depth' -%}
{%- if m.get('beyond') == 'disjoint' -%}
-ln(1 - {{ p }}) / {{ p }} - coalesce(sum(
        {{ weight }}
    ) over (order by depth asc rows between unbounded preceding and 1 preceding), 0)
{%- else -%}
sum(
        {{ 'case when depth <= ' ~ m.k ~ ' then ' ~ weight ~ ' else 0 end' if m.get('k') is not none else weight }}
    ) over (order by depth desc rows unbounded preceding)
{%- endif -%}
{%- endmacro -%}

{#- Number and weights of the items in the first k of both lists; with `beyond` = cut, only within the shorter list. -#}
{%- macro sums_of_overlap(m) -%}
{%- set to_shorter = m.judged and m.get('beyond') == 'cut' -%}
{{ sqlmetrics.to_double('count(' ~ sqlmetrics.of_overlap(m, 'common_depth', to_shorter) ~ ')') }} as {{ sqlmetrics.overlap_column(m, 'overlap') }},
{%- if m.p is defined %}
    coalesce(sum({{ sqlmetrics.of_overlap(m, sqlmetrics.overlap_column(m, 'tail'), to_shorter) }}), 0) as {{ sqlmetrics.overlap_column(m, 'weights') }},
{%- endif %}
{%- if m.judged and m.get('beyond') == 'extrapolated' %}
    {{ sqlmetrics.to_double('count(' ~ sqlmetrics.of_overlap(m, 'common_depth', true) ~ ')') }} as {{ sqlmetrics.overlap_column(m, 'shorter_overlap') }},
{%- endif %}
{%- endmacro -%}

{%- macro of_overlap(m, value, to_shorter) -%}
{%- set limits = ([m.k] if m.get('k') is not none else []) + (['shorter_length'] if to_shorter else []) -%}
{{ 'case when common_depth <= ' ~ sqlmetrics.extreme_of('least', limits) ~ ' then ' ~ value ~ ' end' if limits else value }}
{%- endmacro -%}

{%- macro shorter_length(k=none) -%}{{ sqlmetrics.to_double('least(first_length, second_length' ~ (', ' ~ k if k is not none) ~ ')') }}{%- endmacro -%}
{%- macro longer_length(k=none) -%}
{%- set longer = 'greatest(first_length, second_length)' -%}
{{ sqlmetrics.to_double(longer if k is none else 'least(' ~ longer ~ ', ' ~ k ~ ')') }}
{%- endmacro -%}

{#- Weights of the depths beyond the end of a list. They decrease with depth, so the least belongs to the longer list. -#}
{%- macro weights_below(m, list) -%}coalesce(below_{{ list }}.{{ sqlmetrics.overlap_column(m, 'tail') }}, 0){%- endmacro -%}
{%- macro weights_below_both(m, function) -%}
{{ function }}(
        {{ sqlmetrics.weights_below(m, 'first') }},
        {{ sqlmetrics.weights_below(m, 'second') }}
    )
{%- endmacro -%}
