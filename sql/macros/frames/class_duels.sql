{#-
title: class duels
rows: one per pair of classes that have scores
columns: duel (the number of the pair), weight_of_first and weight_of_second (the rows of either class), beaten (the weight of the second, each row by the share of the first that scores higher on the difference of both scores, ties half), row_count
-#}

{#- Each row once for every other class, by how much more its score of the first class of the pair is than that of the second. A row
    is counted in the duel of its class and the first one; those of the first class in the first duel. -#}
{%- macro class_duels(f, rows_from, keys) -%}
{%- set scores = f.metrics[0].class_scores -%}
{%- set duel_rows = 'duel_rows' ~ f.suffix -%}
{%- set in_order = dict(f, cte='duel_order' ~ f.suffix, rows='the same, beside the rows of the first class with a higher one') -%}
{%- set columns = ['score_difference', 'first_weight', 'second_weight', 'counted_rows', 'row_count'] -%}
{%- set sums = [{'measure': 'first_weight', 'reach': 'before', 'as': 'first_above'}, {'measure': 'first_weight', 'reach': 'all', 'as': 'weight_of_first'}] -%}
{%- set duels = [] -%}
{%- for first in range(1, scores | length + 1) -%}
{%- for second in range(first + 1, scores | length + 1) -%}{%- do duels.append([first, second]) -%}{%- endfor -%}
{%- endfor -%}
{#- A class alone meets nobody, but its rows are counted. -#}
{%- if not duels -%}{%- do duels.append([1, 1]) -%}{%- endif -%}
{{ sqlmetrics.cte(duel_rows, 'one per pair of classes and distinct difference of their scores') }}
select
    {{- sqlmetrics.leading(keys + ['duel', 'score_difference']) }}
    sum(case when own_class = first_class then weight else 0 end) as first_weight,
    sum(case when own_class = first_class then 0 else weight end) as second_weight,
    sum(case when first_class = 1 and (own_class > 1 or duel = 1) then 1 else 0 end) as counted_rows,
    count(*) as row_count
from (
    select
        {{- sqlmetrics.leading(keys + ['duel'], depth=2) }}
        {{ sqlmetrics.place_of_class(scores) }} as own_class,
        case duel{% for duel in duels %} when {{ loop.index }} then {{ duel[0] }}{% endfor %} end as first_class,
        case duel{% for duel in duels %} when {{ loop.index }} then {{ duel[1] }}{% endfor %} end as second_class,
        case duel
{%- for duel in duels %}
            when {{ loop.index }} then {{ scores[duel[0] - 1].column }} - {{ scores[duel[1] - 1].column }}
{%- endfor %}
        end as score_difference,
        weight
    from {{ rows_from }}
    cross join (
        {{ sqlmetrics.numbers(duels | length, 'duel') | indent(8) }}
    ) as duels
    {{- f.where | indent(4) }}
) as rows_in_duels
where own_class in (first_class, second_class)
{{- sqlmetrics.group_by(keys + ['duel', 'score_difference']) }}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(in_order, duel_rows, keys + ['duel'], 'score_difference', ' desc', columns, {'first_weight': 'first_weight'}, sums)) }}
{%- set sums_of_duels = [
    'max(weight_of_first) as weight_of_first',
    'sum(second_weight) as weight_of_second',
    'sum(second_weight * ((first_above + first_weight / 2) / nullif(weight_of_first, 0))) as beaten',
] -%}
{{ sqlmetrics.cte(f.cte, f.rows) }}
{{ sqlmetrics.sums_by(keys + ['duel'], sums_of_duels, in_order.cte, row_count='sum(counted_rows)') }}
{%- endmacro -%}
