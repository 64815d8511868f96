{#-
title: rated items
rows: one per item and distinct rating of it
columns: group_id (the item), rating, ratings (how many gave it, of an item that has two ratings or more; else 0), ratings_of_item, items (1 in one row of each item that has two ratings or more), ratings_of_value (of all such items) and ratings_of_all, apart_in_item and apart_total (how far the rating is from the others, summed over them), row_count
parameters:
  level:
    default: nominal
    choices: {nominal: 'two ratings are equal or not', ordinal: 'by the number of ratings in between', interval: 'by the square of their difference', ratio: 'by the square of their difference over their sum'}
    doc: the distance of two ratings
-#}

{#- An item rated once has no agreement. Squared distances between all ratings sum to twice their number times the squared distances to the
    mean. So sums per item and over all are enough. -#}
{%- macro rated_items(f, rows_from, keys) -%}
{%- set value = 'label_class' if 'label_class' in f.requires else 'label' -%}
{%- set level = f.params.level -%}
{%- set of_item = keys + ['group_id'] -%}
{%- set values = 'rating_order' ~ f.suffix if level == 'ordinal' else 'rating_counts' ~ f.suffix -%}
{%- set valued = 'valued_ratings' ~ f.suffix -%}
{#- Ratings start from the lowest: rounding in a mean of large ratings may exceed their differences. -#}
{%- set scale_value = {'ordinal': 'ratings_below + ratings_of_value / 2', 'interval': 'rating - min(rating) ' ~ sqlmetrics.over(keys)}.get(level) -%}
{{ sqlmetrics.cte('item_ratings' ~ f.suffix, 'one per item and distinct rating of it') }}
select
    {{- sqlmetrics.leading(of_item) }}
    {{ value }} as rating,
    count(*) as row_count
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(of_item + [value]) }}
{{ sqlmetrics.cte('counted_ratings' ~ f.suffix, 'ratings, with the number of ratings of the item', materialized=true) }}
select
    *,
    {{ sqlmetrics.to_double('row_count') }} as ratings,
    {{ sqlmetrics.to_double('sum(row_count) ' ~ sqlmetrics.over(of_item)) }} as ratings_of_item,
    row_number() {{ sqlmetrics.over(of_item, 'rating asc') }} as rating_rank
from item_ratings{{ f.suffix }}
{{ sqlmetrics.cte('rating_counts' ~ f.suffix, 'one per distinct rating', materialized=true) }}
{{ sqlmetrics.sums_by(keys + ['rating'], ['sum(ratings) as ratings_of_value'], 'counted_ratings' ~ f.suffix, '\nwhere ratings_of_item > 1', 'sum(row_count)') }}
{%- if level == 'ordinal' %}
{{ sqlmetrics.sums_in_order(f, values, 'one per distinct rating, in their order', 'rating_counts' ~ f.suffix, keys, 'rating', ' asc', ['rating', 'ratings_of_value', 'row_count'], {'ratings_below': ['ratings', 'before']}, {'ratings': 'ratings_of_value'}) }}
{%- endif %}
{{ sqlmetrics.cte(valued, 'ratings, with the count of the same rating over all items', materialized=level == 'ratio') }}
select
    {{- sqlmetrics.leading(of_item + ['rating'], 'counted') }}
    case when counted.ratings_of_item > 1 then counted.ratings else 0 end as ratings,
    counted.ratings_of_item as ratings_of_item,
    case when counted.ratings_of_item > 1 and counted.rating_rank = 1 then 1 else 0 end as items,
    counted.row_count as row_count,
    value_counts.ratings_of_value as ratings_of_value,
    value_counts.ratings_of_all as ratings_of_all
    {{- ',\n    value_counts.scale_value - value_counts.mean_scale_value as scale_value' if scale_value }}
from counted_ratings{{ f.suffix }} as counted
left join (
    select
        *,
        sum(ratings_of_value) {{ sqlmetrics.over(keys) }} as ratings_of_all
    {%- if scale_value %},
        sum(ratings_of_value * scale_value) {{ sqlmetrics.over(keys) }} / sum(ratings_of_value) {{ sqlmetrics.over(keys) }} as mean_scale_value
    from (
        select
            *,
            {{ scale_value }} as scale_value
        from {{ values }}
    ) as scaled_values
    {%- else %}
    from {{ values }}
    {%- endif %}
) as value_counts{{ sqlmetrics.on('counted', 'value_counts', keys, ['counted.rating = value_counts.rating']) }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
{{ sqlmetrics.distances_of_ratings(level, valued, values, keys) }}
{%- endmacro -%}

{#- Distances of each rating to the others, in its item and in all. -#}
{%- macro distances_of_ratings(level, valued, values, keys) -%}
{%- set of_item = keys + ['group_id'] -%}
{%- if level == 'ratio' -%}
select
    {{- sqlmetrics.leading(of_item + ['rating', 'ratings', 'ratings_of_item', 'items', 'row_count', 'ratings_of_value', 'ratings_of_all'], 'valued') }}
    in_item.apart as apart_in_item,
    totals.apart as apart_total
from {{ valued }} as valued
inner join (
    {{ sqlmetrics.indented(sqlmetrics.ratios_apart(valued, of_item, 'ratings')) }}
) as in_item{{ sqlmetrics.on('valued', 'in_item', of_item, ['valued.rating = in_item.rating']) }}
left join (
    {{ sqlmetrics.indented(sqlmetrics.ratios_apart(values, keys, 'ratings_of_value')) }}
) as totals{{ sqlmetrics.on('valued', 'totals', keys, ['valued.rating = totals.rating']) }}
{%- elif level == 'nominal' -%}
select
    *,
    ratings_of_item - ratings as apart_in_item,
    ratings_of_all - ratings_of_value as apart_total
from {{ valued }}
{%- else %}
select
    *,
    2 * ratings_of_item * (scale_value - scale_value_of_item) * (scale_value - scale_value_of_item) as apart_in_item,
    2 * ratings_of_all * scale_value * scale_value as apart_total
from (
    select
        *,
        sum(ratings * scale_value) {{ sqlmetrics.over(of_item) }} / ratings_of_item as scale_value_of_item
    from {{ valued }}
) as scaled_ratings
{%- endif -%}
{%- endmacro -%}

{#- Ratios have no mean shortcut: distinct ratings are compared in pairs. -#}
{%- macro ratios_apart(step, keys, count) -%}
{%- set apart = '((this.rating - other.rating) / nullif(this.rating + other.rating, 0))' -%}
select
    {{- sqlmetrics.leading(keys + ['rating'], 'this') }}
    sum(other.{{ count }} * coalesce({{ apart }} * {{ apart }}, 0)) as apart
from {{ step }} as this
inner join {{ step }} as other{{ sqlmetrics.on('this', 'other', keys) }}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('this', keys + ['rating'])) }}
{%- endmacro -%}
