{#-
title: listed vectors
rows: one per list, from the vectors of its items
unit: group
group_values: columns
columns: group_id, dimension, unit_sum (over the items of the list, of their vectors at length 1) and unit_squares (of the squares); of a list that is cut at k, unit_sum_at_k and unit_squares_at_k
relations: [embeddings]
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
-#}

{#- The cosines of all pairs of a list, and of each item with itself, add up to the squared length of the sum of its unit vectors.
    Components are first divided by the largest of their vector, and negligible ones are 0, so that no square or quotient leaves the range
    of doubles, which is an error on PostgreSQL. -#}
{%- macro listed_vectors(f, rows_from, keys) -%}
{%- set listed = 'lists_with_vectors' ~ f.suffix -%}
{%- set of_item = sqlmetrics.over(['item_id']) -%}
{%- set cuts = {} -%}
{%- for m in f.metrics -%}{%- do cuts.update({sqlmetrics.name_of_cut(m, ''): sqlmetrics.first_items(m)}) -%}{%- endfor -%}
{{ sqlmetrics.lists(f, listed, rows_from, keys) }}
{{ sqlmetrics.cte('unit_vectors' ~ f.suffix, 'the vectors of items at length 1') }}
select
    item_id,
    dimension,
    scaled / nullif(sqrt(sum({{ sqlmetrics.square('scaled') }}) {{ of_item }}), 0) as unit_component
from (
    select
        item_id,
        dimension,
        case when abs(component) > 1e-150 * greatest(largest, 1e-150) then component / nullif(largest, 0) else 0 end as scaled
    from (
        select
            item_id,
            dimension,
            component,
            max(abs(component)) {{ of_item }} as largest
        from sqlmetrics_all_components
    ) as components_with_largest
) as scaled_components
{{ sqlmetrics.cte('dimensions_of_lists' ~ f.suffix, 'one per list and dimension') }}
select
    {{- sqlmetrics.leading(keys + ['group_id'], 'lists_of_groups') }}
    {%- for cut, counted in cuts.items() %}
    coalesce(sum(case when {{ counted }} then unit_component end), 0) as unit_sum{{ cut }},
    coalesce(sum(case when {{ counted }} then {{ sqlmetrics.square('unit_component') }} end), 0) as unit_squares{{ cut }},
    {%- endfor %}
    max(item_rank) as last_rank
from {{ listed }} as lists_of_groups
left join unit_vectors{{ f.suffix }} as unit_vectors
    on lists_of_groups.item_id = unit_vectors.item_id
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('lists_of_groups', keys + ['group_id']) + ['unit_vectors.dimension']) }}
{{ sqlmetrics.values_of_lists(f, 'dimensions_of_lists' ~ f.suffix, keys, 'max(last_rank)') }}
{%- endmacro -%}
