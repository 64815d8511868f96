{#-
title: overlaps of lists
rows: one per group, from the depths of its two lists
unit: group
group_values: columns
columns: group_id, depth (a place in the longer list), overlap (items among the first so many of both lists), shorter and longer (the lengths of the lists)
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

{#- One list is by the score, the other by the label; without judgments of the same items, and those alike in both in the same order. -#}
{%- macro list_overlaps(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set own = group_keys + (['group_weight'] if f.group_weight else []) -%}
{%- set items = sqlmetrics.items_to_rank(f, rows_from, keys, 'overlapping_') -%}
{%- set ideal = f.params.relevant_at is not none -%}
{%- set in_second = (['judged = 1'] if f.judged else []) + (['label >= ' ~ sqlmetrics.number(f.params.relevant_at)] if ideal else []) -%}
{%- set first_order = ('returned desc, ' if f.judged else '') ~ 'score desc, ' ~ sqlmetrics.order_of_ties(f, 'judged', 'label') -%}
{%- if ideal -%}
{%- set second_order = 'case when ' ~ in_second | join(' and ') ~ ' then 1 else 0 end desc, label desc, first_rank asc nulls last' -%}
{%- else -%}
{%- set second_order = ('judged desc, ' if f.judged else '') ~ 'label desc, ' ~ sqlmetrics.order_of_ties(f, 'returned', 'score') ~ ', first_rank asc' -%}
{%- endif -%}
{%- set second_rank = 'row_number() ' ~ sqlmetrics.over(group_keys, second_order) -%}
{%- set frame = 'rows between unbounded preceding and unbounded following' -%}
{%- set whole = sqlmetrics.over(group_keys, second_order ~ ('\n        ' if second_order | length > 85 else ' ') ~ frame) -%}
{#- The depths are those of the first list and of the second beyond its end; without any item in either, one that holds the group. -#}
{%- set branches = [
    ('first_rank', 1, 'first_rank is not null' if f.judged),
    ('greatest(first_rank, second_rank)', 0, 'first_rank is not null\n            and second_rank is not null' if in_second),
] -%}
{%- if f.judged -%}{%- do branches.append(('second_rank', 1, 'second_rank > first_length')) -%}{%- endif -%}
{%- if f.judged and ideal -%}{%- do branches.append(('1', 1, 'first_length = 0\n            and second_length = 0')) -%}{%- endif -%}
{{ items.text }}
{{ sqlmetrics.cte('first_places' ~ f.suffix, 'one per item, with its place by score') }}
select
    {{- sqlmetrics.leading(own + ['score', 'label'] + (['tie_key'] if f.params.ties == 'key' else []) + (['returned', 'judged'] if f.judged else [])) }}
    {{ sqlmetrics.indented(sqlmetrics.when_returned(f, 'row_number() ' ~ sqlmetrics.over(group_keys, first_order))) }} as first_rank
from {{ items.from }}
{{- '' if f.judged else f.where }}
{{ sqlmetrics.cte('places' ~ f.suffix, 'one per item, with its places by score and by label, and how many have one', stored=true) }}
select
    {{- sqlmetrics.leading(own + ['first_rank']) }}
    {{ sqlmetrics.indented(sqlmetrics.case_when(in_second | join(' and '), second_rank) if in_second else second_rank) }} as second_rank,
    count(first_rank) {{ whole }} as first_length,
    count({{ 'case when ' ~ in_second | join(' and ') ~ ' then 1 end' if in_second else '*' }}) {{ whole }} as second_length
from first_places{{ f.suffix }}
{#- In the order of the depths, with an item before the depth at which it is in both lists, what is above the depth d are d - 1 other depths
    and the items in both. #}
{{ sqlmetrics.cte('depths' ~ f.suffix, 'one per depth of the longer list, with the overlap down to there') }}
select
    {{- sqlmetrics.leading(own) }}
    {{ sqlmetrics.to_double('depth') }} as place,
    {{ sqlmetrics.to_double('place_among_both - depth') }} as overlap,
    first_length,
    second_length
from (
    select
        {{- sqlmetrics.leading(own + ['first_length', 'second_length', 'depth', 'is_depth'], depth=2) }}
        row_number() {{ sqlmetrics.indented(sqlmetrics.over(group_keys, 'depth asc, is_depth asc')) }} as place_among_both
    from (
    {%- for depth, is_depth, condition in branches %}
        {{- '\n        union all' if not loop.first }}
        select
            {{- sqlmetrics.leading(own + ['first_length', 'second_length'], depth=3) }}
            {{ depth }} as depth,
            {{ is_depth }} as is_depth
        from places{{ f.suffix }}
        {{- '\n        where ' ~ condition if condition }}
    {%- endfor %}
    ) as places_of_both
) as depths_and_items
where is_depth = 1
{{ sqlmetrics.values_of_lists(f, 'depths' ~ f.suffix, keys, 'max(first_length)') }}
{%- endmacro -%}

{#- The order of equal items of one list: by the other one, in which an item may not be. -#}
{%- macro order_of_ties(f, in_other, value) -%}
{%- set direction = ' desc' if f.params.ties == 'best' else ' asc' -%}
{{ sqlmetrics.key_order('tie_key', 'desc') ~ ', ' if f.params.ties == 'key' }}{{ in_other ~ direction ~ ', ' if f.judged }}{{ value ~ direction }}
{%- endmacro -%}

{#- The lengths of the lists, either cut at k. -#}
{%- macro shorter_length() -%}{{ return(sqlmetrics.to_double('least(first_length, second_length)')) }}{%- endmacro -%}
{%- macro longer_length() -%}{{ return(sqlmetrics.to_double('greatest(first_length, second_length)')) }}{%- endmacro -%}
{%- macro cut_length(length, k) -%}{{ return('max(' ~ length ~ ')' if k is none else 'least(max(' ~ length ~ '), ' ~ k ~ ')') }}{%- endmacro -%}

{#- How many items are among the first so many, k at most, of both lists. -#}
{%- macro overlap_within(k, length=none) -%}
{%- set conditions = (['place <= ' ~ k] if k is not none else []) + (['place <= ' ~ length] if length is not none else []) -%}
{{ return('coalesce(max(case when ' ~ conditions | join(' and ') ~ ' then overlap end), 0)' if conditions else 'max(overlap)') }}
{%- endmacro -%}
