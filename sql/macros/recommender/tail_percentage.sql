{#-
title: Tail percentage
answers: [varied]
formula: mean over lists of the share of their items that belong to the tail, the least popular items
frame: listed_items
uses: [list_length]
score: number
roles: {item: required}
relations: [popularity]
lower: 0
upper: 1
scale: higher is more of the tail
undefined: NULL without lists; an item that was never seen does not belong to the tail
no_interval: 'a log has few items of the tail: intervals at 95% covered 69% with 100 users and 88% with 500'
oracle: numpy by RecBole's formula
source: RecBole, TailPercentage; Yin and others, VLDB 2012
notes: "A share, not times 100, as in RecBole. Where the tail ends among items that were seen equally often, each counts in part: the mean over all their orders. RecBole orders them by its item number."
parameters:
  k: frame
  share: {type: number, default: 0.1, minimum: 0, maximum: 1, doc: 'the share of the seen items that forms the tail, at least one item'}
  at_most: {type: number, default: null, minimum: 0, doc: 'the tail is the items that were seen at most this often; overrides share'}
example: {group: [1, 1, 2, 2], item: [a, b, a, d], score: [2, 1, 2, 1], popularity: {item: [a, b, c], count: [4, 2, 1]}, call: tail_percentage(share=0.7), result: 0.25}
-#}
{#- If the tail ends among items with equal counts, each counts by the share of them in the tail. So counts identify items. Distinct
    counts are few, and only they need a window over the whole relation. -#}
{%- macro tail_percentage__query(m, rows_from, keys) -%}
{%- set part = 'case when seen <= ' ~ sqlmetrics.number(m.at_most) ~ ' then 1 else 0 end' if m.at_most is not none else 'coalesce(tail_part, 0)' -%}
select
    {{ sqlmetrics.select_list(keys + ['sum(shares * ' ~ part ~ ') / nullif(' ~ sqlmetrics.number_of_lists() ~ ', 0) as ' ~ sqlmetrics.identifier(m.as)]) }}
from (
    select
        {{ (keys + ['sqlmetrics_all_counts.seen as seen', 'sum(shares) as shares']) | join(',\n        ') }}
    from (
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.items_of_lists(m, rows_from, keys, ['shares']))) }}
    ) as items_of_lists
    left join sqlmetrics_all_counts on items_of_lists.item_id = sqlmetrics_all_counts.item_id
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys + ['sqlmetrics_all_counts.seen'])) }}
) as shares_of_counts
{%- if m.at_most is none %}
left join (
    select
        seen,
        least(greatest((greatest(floor(items_seen * {{ sqlmetrics.to_double(sqlmetrics.number(m.share)) }}), 1) - items_cumulative + items) / items, 0), 1) as tail_part
    from (
        select
            seen,
            items,
            sum(items) over (order by seen asc rows unbounded preceding) as items_cumulative,
            sum(items) over () as items_seen
        from (
            select
                seen,
                {{ sqlmetrics.to_double('count(*)') }} as items
            from sqlmetrics_all_counts
            group by seen
        ) as distinct_counts
    ) as counts_in_order
) as tail on shares_of_counts.seen = tail.seen
{%- endif -%}
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}
