{#-
title: listed vectors
rows: one per list, from the vectors of its items
unit: group
group_values: columns
columns: group_id, vectors (items of the list with a vector, counted in a single block of dimensions each) and squared_sum (of a block, the squared length of the sum of their vectors at length 1); of a list that is cut at k, vectors_at_k and squared_sum_at_k
relations: [embeddings]
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
-#}

{#- The cosines of all pairs of a list, including each item with itself, sum to the squared length of the sum of its unit vectors. A block
    has eight dimensions as columns, so the join with the lists has an eighth of the rows. -#}
{%- macro listed_vectors(f, rows_from, keys) -%}
{%- set within_cuts = sqlmetrics.within_cuts(f) -%}
{%- set cuts = {} -%}
{%- for m in f.metrics -%}{%- do cuts.update({sqlmetrics.name_of_cut(m, ''): m.k}) -%}{%- endfor -%}
{{ sqlmetrics.lists(f, 'lists_with_vectors' ~ f.suffix, rows_from, keys, repeated=true) }}
{{ sqlmetrics.unit_vectors(f) }}
{{ sqlmetrics.cte('sums_of_vectors' ~ f.suffix, 'one per list and block, the vectors of its items added up') }}
select
    {{- sqlmetrics.leading(keys + ['group_id'], 'lists_of_groups') }}
    {%- for cut, k in cuts.items() %}
    {%- for column in range(8) %}
    {{ sqlmetrics.sum_of_first(k, 'component_' ~ column) }} as sum_{{ column }}{{ cut }},
    {%- endfor %}
    {{ sqlmetrics.sum_of_first(k, 'is_first_block') }} as vectors{{ cut }},
    {%- endfor %}
    sum(coalesce(is_first_block, 1)) as row_count
from lists_with_vectors{{ f.suffix }} as lists_of_groups
left join unit_vectors{{ f.suffix }} as unit_vectors on lists_of_groups.item_id = unit_vectors.item_id
    {{- '\n    and lists_of_groups.' ~ within_cuts if within_cuts }}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('lists_of_groups', keys + ['group_id']) + ['unit_vectors.block']) }}
{{ sqlmetrics.cte('squared_sums' ~ f.suffix, 'squared lengths of the summed vectors') }}
select
    {{- sqlmetrics.leading(keys + ['group_id']) }}
    {%- for cut in cuts %}
    {% for column in range(8) %}{{ '\n        + ' if not loop.first }}{{ sqlmetrics.square('sum_' ~ column ~ cut) }}{% endfor %} as squared_sum{{ cut }},
    vectors{{ cut }},
    {%- endfor %}
    row_count
from sums_of_vectors{{ f.suffix }}
{{ sqlmetrics.values_of_lists(f, 'squared_sums' ~ f.suffix, keys, 'sum(row_count)') }}
{%- endmacro -%}

{#- Components are divided by the largest of their vector, and negligible ones become 0. So no square or quotient leaves the range of
    doubles, an error on PostgreSQL. -#}
{%- macro unit_vectors(f) -%}
{%- set of_item = sqlmetrics.over(['item_id']) -%}
{{ sqlmetrics.cte('dimensions' ~ f.suffix, 'one per dimension, with its block and its column there') }}
{%- set dimension_index = sqlmetrics.to_double('row_number() over (order by dimension asc) - 1') %}
select
    dimension,
    block,
    cast(dimension_index - 8 * block as integer) as block_column
from (
    select
        dimension,
        {{ dimension_index }} as dimension_index,
        cast(floor({{ dimension_index }} / 8) as integer) as block
    from (select distinct dimension from sqlmetrics_all_components) as distinct_dimensions
) as numbered_dimensions
{{ sqlmetrics.cte('largest_components' ~ f.suffix, 'one per item') }}
select
    item_id,
    max(abs(component)) as largest
from sqlmetrics_all_components
group by item_id
{{ sqlmetrics.cte('scaled_components' ~ f.suffix, 'components, divided by the largest component of the item') }}
select
    components.item_id as item_id,
    dimensions.block as block,
    dimensions.block_column as block_column,
    case when abs(component) > 1e-150 * greatest(largest, 1e-150) then component / nullif(largest, 0) else 0 end as scaled
from sqlmetrics_all_components as components
inner join largest_components{{ f.suffix }} as largest_components on components.item_id = largest_components.item_id
inner join dimensions{{ f.suffix }} as dimensions on components.dimension = dimensions.dimension
{{ sqlmetrics.cte('blocks_of_vectors' ~ f.suffix, 'one per item and block, with the length of the whole vector') }}
select
    item_id,
    block,
    {%- for column in range(8) %}
    coalesce(sum(case when block_column = {{ column }} then scaled end), 0) as scaled_{{ column }},
    {%- endfor %}
    sqrt(sum(sum({{ sqlmetrics.square('scaled') }})) {{ of_item }}) as vector_length,
    min(block) {{ of_item }} as first_block
from scaled_components{{ f.suffix }}
group by item_id, block
{{ sqlmetrics.cte('unit_vectors' ~ f.suffix, 'blocks of vectors, scaled to length 1') }}
select
    item_id,
    block,
    {%- for column in range(8) %}
    scaled_{{ column }} / nullif(vector_length, 0) as component_{{ column }},
    {%- endfor %}
    case when block = first_block then 1 else 0 end as is_first_block
from blocks_of_vectors{{ f.suffix }}
where vector_length > 0
{%- endmacro -%}
