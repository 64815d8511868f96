{#-
title: item pairs
rows: one per group
unit: group
group_values: columns
columns: group_id, row_count, concordant and discordant pairs, label_ties and score_ties (pairs equal in one of the two), score_values and label_values (distinct ones)
parameters:
  max_group_size: {type: integer, default: 5000, minimum: 2, doc: 'a larger group is an error, as the work grows with the square of its distinct (score, label) values'}
-#}

{#- Equal (score, label) items are one cell with a count: ten thousand items with graded labels are a few hundred cells. -#}
{%- macro item_pairs(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set largest_weight = ['max(group_weight) as group_weight'] if f.group_weight else [] -%}
{%- set items = [sqlmetrics.to_double('count(*)') ~ ' as items'] -%}
{#- Distinct values are counted only where a metric reads them. -#}
{%- set read = sqlmetrics.columns_of_groups(f) | join -%}
{%- set sizes = ['sum(items) as items'] -%}
{%- for name in ['score', 'label'] if name ~ '_values' in read -%}{%- do sizes.append('count(distinct ' ~ name ~ ') as ' ~ name ~ '_values') -%}{%- endfor -%}
{{ sqlmetrics.cte('cells' ~ f.suffix, 'one per distinct score and label of a group', stored=true) }}
{{ sqlmetrics.sums_by(group_keys + ['score', 'label'], items + largest_weight, rows_from, f.where) }}
{{ sqlmetrics.cte('sizes' ~ f.suffix, 'one per group') }}
{{ sqlmetrics.sums_by(group_keys, largest_weight + sizes, 'cells' ~ f.suffix, row_count='sum(row_count)') }}
{#- Over every pair of cells, a cell with itself too, seen from the side of the higher score. -#}
{{ sqlmetrics.cte('pairs' ~ f.suffix, 'one per group, with its pairs') }}
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_alone('a', group_keys)) }},
    sum(case when a.score > b.score and a.label > b.label then a.items * b.items else 0 end) as concordant,
    sum(case when a.score > b.score and a.label < b.label then a.items * b.items else 0 end) as discordant,
{%- for equal, other in [('score', 'label'), ('label', 'score')] %}
    sum(case
        when a.{{ equal }} <> b.{{ equal }} then 0
        when a.{{ other }} > b.{{ other }} then a.items * b.items
        when a.{{ other }} = b.{{ other }} then a.items * (a.items - 1) / 2
        else 0
    end) as {{ equal }}_ties{{ ',' if not loop.last }}
{%- endfor %}
from cells{{ f.suffix }} as a
inner join cells{{ f.suffix }} as b
    on {{ sqlmetrics.same_keys('a', 'b', group_keys) | join('\n    and ') }}
where a.score >= b.score
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('a', group_keys)) }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_alone('sizes', group_keys) + sqlmetrics.columns_of_groups(f) + (['sizes.group_weight'] if f.group_weight else [])) }},
    sizes.row_count
from sizes{{ f.suffix }} as sizes
inner join pairs{{ f.suffix }} as pairs
    on {{ sqlmetrics.same_keys('sizes', 'pairs', group_keys) | join('\n    and ') }}
{%- endmacro -%}

{#- The quotient of the two sums over groups that a metric keeps of each. -#}
{%- macro pooled_pairs(m) -%}
{%- set sums = [] -%}
{%- for column in m.group_columns -%}{%- do sums.append(sqlmetrics.sum_of(m, ('group_weight * ' if m.group_weight else '') ~ sqlmetrics.identifier(column.as))) -%}{%- endfor -%}
{{ sqlmetrics.safe_divide(sums[0], sums[1]) }}
{%- endmacro -%}
