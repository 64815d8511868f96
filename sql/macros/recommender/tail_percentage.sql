{#-
title: Tail percentage
answers: [varied]
formula: mean over lists of the share of their items that belong to the tail, the least popular items
frame: listed_items
uses: [list_length]
score: number
roles: {item: required}
relations: [popularity]
range: 0 to 1, higher is more of the tail
undefined: NULL without lists; an item that was never seen is none of the tail
oracle: numpy by RecBole's formula
source: RecBole, TailPercentage; Yin and others, VLDB 2012
notes: "A share, not times 100, as in RecBole. Of items seen equally often at the end of the tail, those that are lower in the order of item are in it."
parameters:
  k: frame
  share: {type: number, default: 0.1, minimum: 0, maximum: 1, doc: 'how much of the items that were seen is the tail, at least one item'}
  at_most: {type: number, default: null, minimum: 0, doc: 'the tail is what was seen so often at most, whatever the share'}
example: {group: [1, 1, 2, 2], item: [a, b, a, d], score: [2, 1, 2, 1], popularity: {item: [a, b, c], count: [4, 2, 1]}, call: tail_percentage(share=0.7), result: 0.25}
-#}
{#- Counts that differ are few: only over these goes a window that is as wide as the relation. -#}
{%- macro tail_percentage__query(m, rows_from, keys) -%}
select
    {{ sqlmetrics.lines(keys + ['sum(case when tail.tail_item is not null then shares else 0 end) / nullif(' ~ sqlmetrics.number_of_lists() ~ ', 0) as ' ~ sqlmetrics.identifier(m.as)]) }}
from (
    {{ sqlmetrics.indented(sqlmetrics.items_of_lists(m, rows_from, keys, ['shares'])) }}
) as items_of_lists
left join (
{%- if m.at_most is not none %}
    select
        item_id as tail_item
    from all_counts
    where seen <= {{ sqlmetrics.number(m.at_most) }}
{%- else %}
    select
        ordered.item_id as tail_item
    from (
        select
            item_id,
            seen,
            row_number() over (partition by seen order by item_id) as place
        from all_counts
    ) as ordered
    inner join (
        select
            seen,
            sum(items) over (order by seen rows unbounded preceding) - items as items_below,
            sum(items) over () as all_seen
        from (
            select
                seen,
                {{ sqlmetrics.to_double('count(*)') }} as items
            from all_counts
            group by
                seen
        ) as distinct_counts
    ) as counts
        on ordered.seen = counts.seen
    where ordered.place + counts.items_below <= greatest(floor(counts.all_seen * {{ sqlmetrics.to_double(sqlmetrics.number(m.share)) }}), 1)
{%- endif %}
) as tail
    on items_of_lists.item_id = tail.tail_item
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}
