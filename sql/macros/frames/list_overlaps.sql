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
      key: equal values are ordered by the role tie_key, descending (by item where that is not given)
    doc: the order of items with equal scores or equal labels
    presets: {trec_eval: key, lightgbm: key, spark: key}
  missing:
    default: zero
    choices: {zero: counts as 0, skip: left out of the mean}
    doc: 'a group with judgments but no returned item, or none that `where` leaves; it belongs to the whole and to no slice'
    presets: {trec_eval: skip, spark: zero}
  relevant_at: {type: number, default: null, doc: 'the list by the label holds the items whose label is at least this, equal labels in the order of the other list; all items by default'}
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top of both lists; the whole lists by default}
  empty:
    default: skip
    choices: {skip: left out of the mean, zero: counts as 0, one: counts as 1}
    doc: what a group without any relevant item counts as
    presets: {sklearn: zero, trec_eval: zero, spark: zero}
-#}

{#- One list is by the score, the other by the label. Without judgments both hold the same items. -#}
{%- macro list_overlaps(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set weights = ['group_weight'] if f.group_weight else [] -%}
{%- set items = sqlmetrics.items_to_rank(f, rows_from, keys, 'overlapping_') -%}
{%- set firstly = {'best': ([' judged desc'] if f.judged else []) + [' label desc'], 'key': [' ' ~ sqlmetrics.key_order('tie_key', 'desc')] + ([' judged asc'] if f.judged else []) + [' label asc']}.get(f.params.ties, ([' judged asc'] if f.judged else []) + [' label asc']) -%}
{%- set secondly = {'best': ([' returned desc'] if f.judged else []) + [' score desc'], 'key': [' ' ~ sqlmetrics.key_order('tie_key', 'desc')] + ([' returned asc'] if f.judged else []) + [' score asc']}.get(f.params.ties, ([' returned asc'] if f.judged else []) + [' score asc']) -%}
{%- set first_rank = 'row_number() ' ~ sqlmetrics.over(group_keys, ('returned desc, ' if f.judged else '') ~ 'score desc,' ~ firstly | join(',')) -%}
{#- Items that are alike in both come in the same order in both, whichever that is. -#}
{%- set second_rank = 'row_number() ' ~ sqlmetrics.over(group_keys, ('judged desc, ' if f.judged else '') ~ 'label desc,' ~ secondly | join(',') ~ ', first_rank asc') -%}
{%- set ideal = f.params.relevant_at is not none -%}
{%- set in_second = (['judged = 1'] if f.judged else []) + (['label >= ' ~ sqlmetrics.number(f.params.relevant_at)] if ideal else []) -%}
{%- if ideal -%}
{%- set second_rank = 'row_number() ' ~ sqlmetrics.over(group_keys, 'case when ' ~ in_second | join(' and ') ~ ' then 1 else 0 end desc, label desc, first_rank asc nulls last') -%}
{%- endif -%}
{%- set carried = ['score', 'label'] + (['tie_key'] if f.params.ties == 'key' else []) + (['returned', 'judged'] if f.judged else []) -%}
{%- set first_places -%}
select
    {{ sqlmetrics.lines(group_keys + weights + carried + [('case when returned = 1 then ' ~ first_rank ~ ' end' if f.judged else first_rank) ~ ' as first_rank']) }}
from {{ items.from }}
{{- '' if f.judged else f.where }}
{%- endset -%}
{%- set places -%}
select
    {{ sqlmetrics.lines(group_keys + weights + ['first_rank', ('case when ' ~ in_second | join(' and ') ~ ' then ' ~ second_rank ~ ' end' if in_second else second_rank) ~ ' as second_rank']) }}
from first_places{{ f.suffix }}
{%- endset -%}
{%- set own = group_keys + weights -%}
{%- set depths -%}
select
    {{ sqlmetrics.lines(group_keys + (['max(group_weight) as group_weight'] if weights else []) + ['depth', 'sum(first_items) as first_items', 'sum(second_items) as second_items', 'sum(shared_items) as shared_items']) }}
from (
    select
        {{ (own + ['first_rank as depth', '1 as first_items', '0 as second_items', '0 as shared_items']) | join(',\n        ') }}
    from places{{ f.suffix }}
    where first_rank is not null
    union all
    select
        {{ (own + ['second_rank as depth', '0 as first_items', '1 as second_items', '0 as shared_items']) | join(',\n        ') }}
    from places{{ f.suffix }}
    where second_rank is not null
    union all
    select
        {{ (own + ['greatest(first_rank, second_rank) as depth', '0 as first_items', '0 as second_items', '1 as shared_items']) | join(',\n        ') }}
    from places{{ f.suffix }}
    where first_rank is not null
        and second_rank is not null
{%- if ideal and f.judged %}
    union all
    select
        {{ (own + ['1 as depth', '0 as first_items', '0 as second_items', '0 as shared_items']) | join(',\n        ') }}
    from places{{ f.suffix }}
    where first_rank is null
        and second_rank is null
{%- endif %}
) as places_of_lists
{{- sqlmetrics.group_by(group_keys + ['depth']) }}
{%- endset -%}
{%- set whole = sqlmetrics.over(group_keys) -%}
{%- set cumulated -%}
select
    {{ sqlmetrics.lines(group_keys + weights + [
        sqlmetrics.to_double('depth') ~ ' as place',
        sqlmetrics.to_double('sum(shared_items) ' ~ sqlmetrics.over(group_keys, 'depth asc rows unbounded preceding')) ~ ' as overlap',
        'sum(first_items) ' ~ whole ~ ' as first_length',
        'sum(second_items) ' ~ whole ~ ' as second_length',
    ]) }}
from depths{{ f.suffix }}
{%- endset -%}
{%- set list_overlaps -%}
select
    {{ sqlmetrics.lines(group_keys + (['max(group_weight) as group_weight'] if weights else []) + sqlmetrics.columns_of_groups(f)) }},
    max(first_length) as row_count
from cumulated_depths{{ f.suffix }}
{{- sqlmetrics.group_by(group_keys) }}
{%- endset -%}
{{ return(items.steps + [
    sqlmetrics.step('first_places' ~ f.suffix, first_places, 'one per item, with its place by score'),
    sqlmetrics.step('places' ~ f.suffix, places, 'one per item, with its places by score and by label', stored=true),
    sqlmetrics.step('depths' ~ f.suffix, depths, 'one per depth of the longer list'),
    sqlmetrics.step('cumulated_depths' ~ f.suffix, cumulated, 'the same, with the overlap down to there'),
    sqlmetrics.step(f.cte, list_overlaps, f.rows),
]) }}
{%- endmacro -%}

{%- macro shorter_length() -%}
{{ return(sqlmetrics.to_double('least(first_length, second_length)')) }}
{%- endmacro -%}

{%- macro longer_length() -%}
{{ return(sqlmetrics.to_double('greatest(first_length, second_length)')) }}
{%- endmacro -%}

{#- A length that is cut at k. -#}
{%- macro cut_length(length, k) -%}
{{ return('max(' ~ length ~ ')' if k is none else 'least(max(' ~ length ~ '), ' ~ k ~ ')') }}
{%- endmacro -%}

{#- How many items are among the first so many, k at most, of both lists. -#}
{%- macro overlap_within(k, length=none) -%}
{%- set conditions = (['place <= ' ~ k] if k is not none else []) + (['place <= ' ~ length] if length is not none else []) -%}
{{ return('coalesce(max(case when ' ~ conditions | join(' and ') ~ ' then overlap end), 0)' if conditions else 'max(overlap)') }}
{%- endmacro -%}
