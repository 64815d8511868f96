{#-
title: rated items
rows: one per item and distinct rating of it
columns: group_id (the item), rating, ratings (how many gave it, of an item that has two ratings or more; else 0), ratings_of_item, items (1 in one row of each item that has two ratings or more), ratings_of_value (of all such items) and ratings_of_all, apart_in_item and apart_in_all (how far the rating is from the others, summed over them), row_count
parameters:
  level:
    default: nominal
    choices: {nominal: 'two ratings are the same or not', ordinal: 'by how many ratings lie between', interval: 'by the square of their difference', ratio: 'by the square of their difference over their sum'}
    doc: how far two ratings are apart
-#}

{#- An item that was rated once has nothing to agree with. Where distances are squares, those to all others add up to twice those
    to the mean, times how many there are: only sums over an item or over all are asked for. -#}
{%- macro rated_items(f, rows_from, keys) -%}
{%- set value = 'label_class' if 'label_class' in f.requires else 'label' -%}
{%- set item_ratings = 'item_ratings' ~ f.suffix -%}
{%- set counted_ratings = 'counted_ratings' ~ f.suffix -%}
{%- set value_counts = 'rating_counts' ~ f.suffix -%}
{%- set rating_order = 'rating_order' ~ f.suffix -%}
{%- set totals = 'rating_totals' ~ f.suffix -%}
{%- set level = f.params.level -%}
{%- set place = {'ordinal': 'ratings_below + ratings_of_value / 2', 'interval': 'rating - lowest'}.get(level) -%}
{%- set values = rating_order if level == 'ordinal' else value_counts -%}
{%- set of_items -%}
select
    {{ sqlmetrics.lines(keys + ['group_id', value ~ ' as rating', 'count(*) as row_count']) }}
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys + ['group_id', value]) }}
{%- endset -%}
{%- set counted -%}
select
    {{ sqlmetrics.lines(keys + ['group_id', 'rating', sqlmetrics.to_double('row_count') ~ ' as ratings', sqlmetrics.to_double('sum(row_count) ' ~ sqlmetrics.over(keys + ['group_id'])) ~ ' as ratings_of_item', 'row_number() ' ~ sqlmetrics.over(keys + ['group_id'], 'rating asc') ~ ' as place_in_item', 'row_count']) }}
from {{ item_ratings }}
{%- endset -%}
{%- set of_values -%}
select
    {{ sqlmetrics.lines(keys + ['rating', 'sum(ratings) as ratings_of_value', 'sum(row_count) as row_count']) }}
from {{ counted_ratings }}
where ratings_of_item > 1
{{- sqlmetrics.group_by(keys + ['rating']) }}
{%- endset -%}
{#- Ratings are counted from the lowest: the mean of large ones would be off by more than they differ by. -#}
{%- set values_from -%}
{%- if level == 'interval' -%}
(
    select
        {{ (keys + ['rating', 'ratings_of_value', 'min(rating) ' ~ sqlmetrics.over(keys) ~ ' as lowest']) | join(',\n        ') }}
    from {{ values }}
) as ratings_above_lowest
{%- else -%}
{{ values }}
{%- endif -%}
{%- endset -%}
{%- set of_all -%}
select
    {{ sqlmetrics.lines(keys + ['sum(ratings_of_value) as ratings_of_all'] + (['min(lowest) as lowest'] if level == 'interval' else []) + (['sum(ratings_of_value * (' ~ place ~ ')) / sum(ratings_of_value) as mean_place'] if place else [])) }}
from {{ values_from }}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- set steps = [
    sqlmetrics.step(item_ratings, of_items, 'one per item and distinct rating of it'),
    sqlmetrics.step(counted_ratings, counted, 'the same, beside the ratings of the item', stored=true),
    sqlmetrics.step(value_counts, of_values, 'one per distinct rating', stored=true),
] -%}
{%- if level == 'ordinal' -%}
{%- do steps.extend(sqlmetrics.running_sums(dict(f, cte=rating_order, rows='one per distinct rating, in their order'), value_counts, keys, 'rating', ' asc', ['rating', 'ratings_of_value', 'row_count'], {'ratings': 'ratings_of_value'}, [{'measure': 'ratings', 'reach': 'before', 'as': 'ratings_below'}])) -%}
{%- endif -%}
{%- do steps.append(sqlmetrics.step(totals, of_all, 'the ratings of all')) -%}
{%- set with_values -%}
select{{ sqlmetrics.broadcast('totals, found') }}
    {{ sqlmetrics.lines(sqlmetrics.keys_of('counted', keys) + [
        'counted.group_id as group_id',
        'counted.rating as rating',
        'case when counted.ratings_of_item > 1 then counted.ratings else 0 end as ratings',
        'counted.ratings_of_item as ratings_of_item',
        'case when counted.ratings_of_item > 1 and counted.place_in_item = 1 then 1 else 0 end as items',
        'counted.row_count as row_count',
        'found.ratings_of_value as ratings_of_value',
        'totals.ratings_of_all as ratings_of_all',
    ] + ([{'ordinal': 'found.ratings_below + found.ratings_of_value / 2', 'interval': 'found.rating - totals.lowest'}[level] ~ ' - totals.mean_place as place'] if place else [])) }}
from {{ counted_ratings }} as counted
left join {{ values }} as found
    on {{ (sqlmetrics.same_keys('counted', 'found', keys) + ['counted.rating = found.rating']) | join('\n    and ') }}
left join {{ totals }} as totals
    on {{ sqlmetrics.same_keys('counted', 'totals', keys) | join('\n    and ') or '1 = 1' }}
{%- endset -%}
{%- set valued = 'valued_ratings' ~ f.suffix -%}
{%- set columns = keys + ['group_id', 'rating', 'ratings', 'ratings_of_item', 'items', 'ratings_of_value', 'ratings_of_all'] -%}
{%- do steps.append(sqlmetrics.step(valued, with_values, 'the same, beside how often the rating was given', stored=level == 'ratio')) -%}
{%- if level == 'nominal' -%}
{%- set rated_items -%}
select
    {{ sqlmetrics.lines(columns + ['ratings_of_item - ratings as apart_in_item', 'ratings_of_all - ratings_of_value as apart_in_all', 'row_count']) }}
from {{ valued }}
{%- endset -%}
{%- elif place -%}
{%- set rated_items -%}
select
    {{ sqlmetrics.lines(columns + [
        '2 * ratings_of_item * (place - place_of_item) * (place - place_of_item) as apart_in_item',
        '2 * ratings_of_all * place * place as apart_in_all',
        'row_count',
    ]) }}
from (
    select
        {{ (columns + ['place', 'sum(ratings * place) ' ~ sqlmetrics.over(keys + ['group_id']) ~ ' / ratings_of_item as place_of_item', 'row_count']) | join(',\n        ') }}
    from {{ valued }}
) as placed
{%- endset -%}
{%- else -%}
{%- set rated_items -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('valued', keys) + [
        'valued.group_id as group_id',
        'valued.rating as rating',
        'valued.ratings as ratings',
        'valued.ratings_of_item as ratings_of_item',
        'valued.items as items',
        'valued.ratings_of_value as ratings_of_value',
        'valued.ratings_of_all as ratings_of_all',
        'in_item.apart as apart_in_item',
        'in_all.apart as apart_in_all',
        'valued.row_count as row_count',
    ]) }}
from {{ valued }} as valued
inner join (
    {{ sqlmetrics.indented(sqlmetrics.ratios_apart(valued, keys + ['group_id'], 'ratings')) }}
) as in_item
    on {{ (sqlmetrics.same_keys('valued', 'in_item', keys + ['group_id']) + ['valued.rating = in_item.rating']) | join('\n    and ') }}
left join (
    {{ sqlmetrics.indented(sqlmetrics.ratios_apart(values, keys, 'ratings_of_value')) }}
) as in_all
    on {{ (sqlmetrics.same_keys('valued', 'in_all', keys) + ['valued.rating = in_all.rating']) | join('\n    and ') }}
{%- endset -%}
{%- endif -%}
{{ return(steps + [sqlmetrics.step(f.cte, rated_items, f.rows)]) }}
{%- endmacro -%}

{#- A ratio has no mean to go by: each distinct rating is held against each other. -#}
{%- macro ratios_apart(step, keys, count) -%}
{%- set apart = '((this.rating - other.rating) / nullif(this.rating + other.rating, 0))' -%}
{%- set own = [] -%}
{%- for key in keys -%}{%- do own.append('this.' ~ key) -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('this', keys) + ['this.rating as rating', 'sum(other.' ~ count ~ ' * coalesce(' ~ apart ~ ' * ' ~ apart ~ ', 0)) as apart']) }}
from {{ step }} as this
inner join {{ step }} as other
    on {{ sqlmetrics.same_keys('this', 'other', keys) | join('\n    and ') or '1 = 1' }}
{{- sqlmetrics.group_by(own + ['this.rating']) }}
{%- endmacro -%}
