{#-
title: item pairs
rows: one per group
unit: group
group_values: columns
columns: group_id, row_count, concordant and discordant pairs, label_ties and score_ties (pairs equal in one of the two), score_values and label_values (distinct ones)
parameters:
  max_group_size:
    type: integer
    default: 5000
    minimum: 2
    doc: a larger group is refused, because the work grows with the square of its distinct (score, label) values
-#}

{#- Equal (score, label) items are one cell with a count, so the pairs are those of the cells: ten thousand items with
    graded labels and rounded scores are a few hundred cells. -#}
{%- macro item_pairs(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set same_group = sqlmetrics.same_keys('a', 'b', group_keys) -%}
{%- set own = [] -%}
{%- for key in group_keys -%}{%- do own.append('a.' ~ key) -%}{%- endfor -%}
{%- set matching = sqlmetrics.same_keys('sizes', 'pairs', group_keys) -%}
{%- set cells -%}
select
    {{ sqlmetrics.lines(group_keys + ['score', 'label']) }},
    {{ sqlmetrics.to_double('count(*)') }} as items,
    {{- '\n    max(group_weight) as group_weight,' if f.group_weight }}
    count(*) as row_count
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(group_keys + ['score', 'label']) }}
{%- endset -%}
{%- set sizes -%}
select
    {{ sqlmetrics.lines(group_keys + (['max(group_weight) as group_weight'] if f.group_weight else []) + ['sum(items) as items', 'count(distinct score) as score_values', 'count(distinct label) as label_values']) }},
    sum(row_count) as row_count
from cells{{ f.suffix }}
{{- sqlmetrics.group_by(group_keys) }}
{%- endset -%}
{#- Over every ordered pair of cells, a cell with itself too: each unordered pair of items is seen from one side. -#}
{%- set pairs -%}
select
    {{ sqlmetrics.lines(own + [
        'sum(case when a.score > b.score and a.label > b.label then a.items * b.items else 0 end) as concordant',
        'sum(case when a.score > b.score and a.label < b.label then a.items * b.items else 0 end) as discordant',
        'sum(case when a.score = b.score then case when a.label > b.label then a.items * b.items when a.label = b.label then a.items * (a.items - 1) / 2 else 0 end else 0 end) as score_ties',
        'sum(case when a.label = b.label then case when a.score > b.score then a.items * b.items when a.score = b.score then a.items * (a.items - 1) / 2 else 0 end else 0 end) as label_ties',
    ]) }}
from cells{{ f.suffix }} as a
inner join cells{{ f.suffix }} as b
    on {{ same_group | join('\n    and ') }}
{{- sqlmetrics.group_by(own) }}
{%- endset -%}
{%- set sized = [] -%}
{%- for key in group_keys -%}{%- do sized.append('sizes.' ~ key) -%}{%- endfor -%}
{%- set totals = ['sizes.group_weight'] if f.group_weight else [] -%}
{%- do totals.append('sizes.row_count') -%}
{%- set item_pairs -%}
select
    {{ sqlmetrics.lines(sized + sqlmetrics.columns_of_groups(f) + totals) }}
from sizes{{ f.suffix }} as sizes
inner join pairs{{ f.suffix }} as pairs
    on {{ matching | join('\n    and ') }}
{%- endset -%}
{{ return([
    sqlmetrics.step('cells' ~ f.suffix, cells, 'one per distinct score and label of a group', stored=true),
    sqlmetrics.step('sizes' ~ f.suffix, sizes, 'one per group'),
    sqlmetrics.step('pairs' ~ f.suffix, pairs, 'one per group, with its pairs'),
    sqlmetrics.step(f.cte, item_pairs, f.rows),
]) }}
{%- endmacro -%}

{#- The quotient of the two sums over groups that a metric keeps of each. -#}
{%- macro pooled_pairs(m) -%}
{%- set sums = [] -%}
{%- for column in m.group_columns -%}
{%- do sums.append(sqlmetrics.sum_of(m, ('group_weight * ' if m.group_weight else '') ~ sqlmetrics.identifier(column.as))) -%}
{%- endfor -%}
{{ sqlmetrics.safe_divide(sums[0], sums[1]) }}
{%- endmacro -%}
