{#-
title: item pairs
rows: one per group
unit: group
group_values: columns
columns: group_id, row_count, items, label_pairs (pairs of items with different labels), the concordant and discordant of them and, where a metric uses them, equal_pairs (equal in score and label), score_values and label_values (distinct ones)
parameters:
  max_group_size: {type: integer, default: 5000, minimum: 2, doc: 'a larger group is an error, as the work grows with the square of its distinct (score, label) values'}
-#}

{#- Items with equal (score, label) share a cell: ten thousand items with graded labels make a few hundred cells. Tied pairs follow from
    counts, so the join forms only pairs with different labels. -#}
{%- macro item_pairs(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set largest_weight = ['max(group_weight) as group_weight'] if f.group_weight else [] -%}
{#- Distinct values and equal pairs are counted only if a metric reads them. -#}
{%- set read = sqlmetrics.columns_of_groups(f) | join -%}
{%- set sizes = {'items': 'sum(cell_items)'} -%}
{%- for name in ['score', 'label'] if name ~ '_values' in read -%}{%- do sizes.update({name ~ '_values': 'count(distinct ' ~ name ~ ')'}) -%}{%- endfor -%}
{%- if 'equal_pairs' in read -%}{%- do sizes.update({'equal_pairs': 'sum(cell_items * (cell_items - 1) / 2)'}) -%}{%- endif -%}
{{ sqlmetrics.cte('cells' ~ f.suffix, 'one per distinct score and label of a group', materialized=true) }}
{{ sqlmetrics.sums_by(group_keys + ['score', 'label'], [sqlmetrics.to_double('count(*)') ~ ' as cell_items'] + largest_weight, rows_from, f.where) }}
{{ sqlmetrics.cte('sizes' ~ f.suffix, 'one per group') }}
{{ sqlmetrics.sums_by(group_keys, largest_weight + sqlmetrics.selected(sizes), 'cells' ~ f.suffix, row_count='sum(row_count)') }}
{{ sqlmetrics.cte('pairs' ~ f.suffix, 'one per group with two labels, with its pairs of items with different labels') }}
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_alone('a', group_keys)) }},
    sum(a.cell_items * b.cell_items) as label_pairs,
    sum(case when a.score > b.score then a.cell_items * b.cell_items else 0 end) as concordant,
    sum(case when a.score < b.score then a.cell_items * b.cell_items else 0 end) as discordant
from cells{{ f.suffix }} as a
inner join cells{{ f.suffix }} as b{{ sqlmetrics.on('a', 'b', group_keys) }}
where a.label > b.label
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('a', group_keys)) }}
{{ sqlmetrics.cte('group_pairs' ~ f.suffix, 'one per group, with its pairs') }}
select
    {{- sqlmetrics.leading(group_keys + (['group_weight'] if f.group_weight else []) + sizes | list + ['row_count'], 'sizes') }}
    coalesce(pairs.label_pairs, 0) as label_pairs,
    coalesce(pairs.concordant, 0) as concordant,
    coalesce(pairs.discordant, 0) as discordant
from sizes{{ f.suffix }} as sizes
left join pairs{{ f.suffix }} as pairs{{ sqlmetrics.on('sizes', 'pairs', group_keys) }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(group_keys + sqlmetrics.columns_of_groups(f) + (['group_weight'] if f.group_weight else [])) }}
    row_count
from group_pairs{{ f.suffix }}
{%- endmacro -%}

{#- The quotient of the metric's two columns, each summed over groups. -#}
{%- macro pooled_pairs(m) -%}
{%- set sums = [] -%}
{%- for column in m.group_columns -%}{%- do sums.append(sqlmetrics.sum_of(m, ('group_weight * ' if m.group_weight else '') ~ sqlmetrics.identifier(column.as))) -%}{%- endfor -%}
{{ sqlmetrics.safe_divide(sums[0], sums[1]) }}
{%- endmacro -%}
