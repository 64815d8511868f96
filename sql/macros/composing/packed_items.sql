{#- The items of groups in their order by one number of eight bytes in place of a score and what breaks its ties: the cell of the
    score and, behind it, the label. A higher score comes first, and in a cell the lower label. On DuckDB five ranking metrics
    take three quarters of the time then.

    Items with a label above 0 are kept, and the last one of each group, which tells how many it has. A group is unsure where two
    labels share a cell, or where one is no whole number below 1024: its rows are read again and put in order by their scores.

    Names of groups that are texts cost as much as the scores: a hash of them tells groups apart, and that all rows of one have the
    same name is checked. -#}

{#- What can be told from such items: their label, place, and the relevant ones down to here. Of whole labels those above 0 are
    relevant where those from 1 are. -#}
{%- macro items_can_be_packed(f) -%}
{%- if not f.packs_items or not f.ranged_scores or f.judged or 'weighted_ideal' in f.uses or not 0 < f.params.relevant_at <= 1 -%}
{{ return(false) }}
{%- endif -%}
{%- for name in sqlmetrics.ranked_columns(f, [], true) if name not in ['label', 'relevant', 'item_rank', 'is_followed'] -%}
{{ return(false) }}
{%- endfor -%}
{{ return(true) }}
{%- endmacro -%}

{#- The steps down to the items that gain: `from`, `steps`, and `keys`, by which groups are told. -#}
{%- macro gaining_packed_items(f, rows_from, keys) -%}
{#- All items have the same cells, whatever their slice. Those that rank the scores of a slice (packed_scores) are cut by how many
    slices there are: another step, unless there is one. With a label beside its cell an item is larger than the whole numbers that
    doubles hold: an integer. -#}
{%- set range = 'packed_range' ~ ('_of_items' if keys else '') ~ f.suffix -%}
{%- set packed = 'packed_items' ~ f.suffix -%}
{%- set placed = 'placed_items' ~ f.suffix -%}
{%- set kept = 'kept_items' ~ f.suffix -%}
{%- set unsure = 'unsure_groups' ~ f.suffix -%}
{%- set rows_of_unsure = 'rows_of_unsure_groups' ~ f.suffix -%}
{%- set ranked = 'ranked_items_of_unsure_groups' ~ f.suffix -%}
{%- set gaining = 'gaining_items' ~ f.suffix -%}
{%- set group_keys = keys + ['group_hash'] -%}
{%- set named_keys = group_keys + ['group_id'] -%}
{%- set from_rows = keys + ['hash(group_id) as group_hash', 'group_id'] -%}
{%- set finite = sqlmetrics.finite_ends('ends_of_cells' ~ f.suffix, f.ranged_scores) -%}
{%- set packed_items -%}
select
    {{ sqlmetrics.lines(from_rows) }},
    case
        when label between 0 and 1023 and label = floor(label)
            then cast(cells - {{ sqlmetrics.packed_cell([]) | indent(12) }} as bigint) * 1024 + cast(label as bigint)
    end as item
from (
    select
        {{ (keys + ['group_id'] + sqlmetrics.selected({'label': sqlmetrics.label_of_item(f), 'score': sqlmetrics.score_of_item(f)})) | join(',\n        ') }}
    from {{ rows_from }}
    {{- f.where | indent(4) }}
) as labelled_items
cross join {{ range }}
{%- endset -%}
{%- set in_order = sqlmetrics.over(group_keys, 'item asc') -%}
{%- set placed_items -%}
select
    {{ sqlmetrics.lines(named_keys + [
        'item',
        'row_number() ' ~ in_order ~ ' as item_rank',
        'lag(item) ' ~ in_order ~ ' as item_before',
        'lead(1) ' ~ in_order ~ ' is null as is_last',
        'lag(group_id) ' ~ in_order ~ ' as name_before',
    ]) }}
from {{ packed }}
{%- endset -%}
{%- set kept_items -%}
select
    {{ sqlmetrics.lines(named_keys + [
        'item % 1024 as label',
        'item_rank',
    ]) }},
    case
        when group_id <> name_before
            then {{ sqlmetrics.raised_condition(sqlmetrics.two_names('name_before', 'group_id')) }}
        else (item is null or (item > item_before and item // 1024 = item_before // 1024)) is true
    end as is_unsure
from {{ placed }}
where item % 1024 > 0
    or is_last
    or item is null
    or group_id <> name_before
{%- endset -%}
{%- set unsure_groups -%}
select
    {{ sqlmetrics.lines(group_keys) }}
from {{ kept }}
where is_unsure
{{- sqlmetrics.group_by(group_keys) }}
{%- endset -%}
{%- set read = ['label', 'score'] + (['tie_key'] if f.tie_key else []) -%}
{%- set rows_of_unsure_groups -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('items', named_keys + read)) }}
from (
    select
        {{ (from_rows + read) | join(',\n        ') }}
    from {{ rows_from }}
    {{- f.where | indent(4) }}
) as items
inner join {{ unsure }} as unsure
    on {{ sqlmetrics.same_keys('items', 'unsure', group_keys) | join('\n    and ') }}
{%- endset -%}
{%- set columns = sqlmetrics.ranked_columns(f, group_keys, true) -%}
{%- set ranked_items -%}
select
    {{ sqlmetrics.lines(['group_id'] + sqlmetrics.selected(columns)) }}
from {{ rows_of_unsure }}
{%- endset -%}
{%- set counted = sqlmetrics.counted_columns(f, group_keys, true) -%}
{#- All that is kept is relevant, but for a last item without gain: places take half the time of sums. -#}
{%- set placed_counts = dict(counted) -%}
{%- if 'hits' in counted -%}
{%- do placed_counts.update({'hits': sqlmetrics.to_double('row_number() ' ~ sqlmetrics.over(group_keys, 'item_rank asc') ~ ' - 1 + relevant')}) -%}
{%- endif -%}
{%- set gaining_items -%}
select
    {{ sqlmetrics.lines(named_keys + [
        sqlmetrics.to_double('label') ~ ' as label',
        'relevant',
        'item_rank',
    ] + sqlmetrics.selected(placed_counts)) }}
from (
    select
        {{ (sqlmetrics.keys_of('kept', named_keys + ['label', 'item_rank']) + [sqlmetrics.to_double('case when kept.label > 0 then 1 else 0 end') ~ ' as relevant']) | join(',\n        ') }}
    from {{ kept }} as kept
    left join {{ unsure }} as unsure
        on {{ sqlmetrics.same_keys('kept', 'unsure', group_keys) | join('\n        and ') }}
    where unsure.group_hash is null
) as sure
union all
{{ sqlmetrics.gaining_items(f, ranked, named_keys + ['label', 'relevant', 'item_rank'], counted) }}
{%- endset -%}
{{ return({'from': gaining, 'keys': group_keys, 'steps': finite.steps + [
    sqlmetrics.step(range, sqlmetrics.packed_range(finite.query, []), 'where the cells begin, and how many there are', finite.reads, stored=true),
    sqlmetrics.step(packed, packed_items, 'one per item of a group', [rows_from, range]),
    sqlmetrics.step(placed, placed_items, 'items in their order', [packed]),
    sqlmetrics.step(kept, kept_items, 'the items that gain, and the last of each group', [placed], stored=true),
    sqlmetrics.step(unsure, unsure_groups, 'the groups that may have another order', [kept], stored=true),
    sqlmetrics.step(rows_of_unsure, rows_of_unsure_groups, 'their rows', [rows_from, unsure]),
    sqlmetrics.step(ranked, ranked_items, 'their items in the order of the scores', [rows_of_unsure]),
    sqlmetrics.step(gaining, gaining_items, 'the items that gain, and of each group one at least', [kept, unsure, ranked]),
]}) }}
{%- endmacro -%}
