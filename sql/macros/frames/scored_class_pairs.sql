{#-
title: scored class pairs
rows: one per pair of classes that have scores
columns: pair_id (the number of the pair), weight_of_first and weight_of_second (the rows of either class), area (the AUC of the first against the second on the difference of both scores), row_count
-#}

{%- macro scored_class_pairs(f, rows_from, keys) -%}
{%- set scores = f.metrics[0].class_scores -%}
{%- set pairs = [] -%}
{%- for first in range(1, scores | length + 1) -%}
{%- for second in range(first + 1, scores | length + 1) -%}
{%- do pairs.append({'first': first, 'second': second, 'score': scores[first - 1].column ~ ' - ' ~ scores[second - 1].column}) -%}
{%- endfor -%}
{%- endfor -%}
{{ sqlmetrics.areas_of_class_pairs(f, rows_from, keys, pairs) }}
{%- endmacro -%}

{#- One row per row and pair of its class; `score` should be higher for the first class. A pair of a class with itself compares it with all
    others. Row counts come from the pairs of class 1, whose own rows count in its first pair. -#}
{%- macro areas_of_class_pairs(f, rows_from, keys, pairs) -%}
{%- set scores = f.metrics[0].class_scores -%}
{#- A single class has no pair, but its rows are counted. -#}
{%- set pairs = pairs or [{'first': 1, 'second': 1, 'score': scores[0].column}] -%}
{%- set in_pairs = pairs[0].first != pairs[0].second -%}
{%- set weight = [] if f.ranked else ['weight'] -%}
{#- Number of the label class among the classes with scores. -#}
{%- set own_class -%}
case label_class{% for score in scores %} when {{ sqlmetrics.literal(score.class) }} then {{ loop.index }}{% endfor %} end
{%- endset -%}
{%- set by_score = sqlmetrics.over(keys + ['pair_id'], 'score desc') -%}
{%- set paired_rows = f.cte ~ '_paired' -%}
{{ sqlmetrics.cte(f.cte ~ '_rows', 'rows, with the number of their class among the classes with scores') }}
select
    {{- sqlmetrics.leading(keys + scores | map(attribute='column') | list + weight) }}
    {{ sqlmetrics.to_step(own_class, scores | length) }} as own_class
from {{ rows_from }}
{{- f.where }}
{{ sqlmetrics.cte(paired_rows, 'one per row and pair of its class') }}
select
    {{- sqlmetrics.leading(keys + ['pair_id', 'score'] + weight) }}
    {{ sqlmetrics.to_tinyint('case when own_class = first_class then 1 else 0 end') }} as is_first
from (
    select
        {{- sqlmetrics.leading(keys + ['own_class'] + weight, depth=2) }}
        {{ sqlmetrics.to_step('pair_id', pairs | length) }} as pair_id,
{%- for name, column in {'first': 'first_class', 'second': 'second_class', 'score': 'score'}.items() if in_pairs or name != 'second' %}
        case pair_id
{%- for pair in pairs %}
            when {{ loop.index }} then {{ pair[name] }}
{%- endfor %}
        end as {{ column }}{{ ',' if not loop.last }}
{%- endfor %}
    from {{ f.cte }}_rows
    cross join {{ sqlmetrics.indented(sqlmetrics.numbers(pairs | length, 'pair_id', 'pairs')) }}
) as rows_in_pairs
where own_class {{ 'in (first_class, second_class)' if in_pairs else 'is not null' }}
{%- if f.ranked %}
{{ sqlmetrics.cte(f.cte ~ '_ranked', 'ranks by score in each pair') }}
select
    {{- sqlmetrics.leading(keys + ['pair_id']) }}
    {{ sqlmetrics.to_double('is_first') }} as pos,
    rank() {{ by_score }} - 1 as rows_above,
    cume_dist() {{ by_score }} as cumulative_share
from {{ paired_rows }}
{%- set area = sqlmetrics.indented(sqlmetrics.area_under_roc('ranked_scores')) ~ ' as area' %}
{%- set sums_of_pairs = ['sum(pos) as weight_of_first', 'count(*) - sum(pos) as weight_of_second', area] %}
{{ sqlmetrics.cte(f.cte, f.rows) }}
{{ sqlmetrics.sums_by(keys + ['pair_id'], sums_of_pairs, f.cte ~ '_ranked', row_count=sqlmetrics.rows_of_pair(pairs, 'count(*)', 'sum(pos)')) }}
{%- else %}
{%- set of_first = 'case when is_first = 1 then weight else 0 end' -%}
{%- set at_score = ['sum(' ~ of_first ~ ') as first_weight', 'sum(weight - ' ~ of_first ~ ') as second_weight', 'sum(is_first) as first_rows'] -%}
{%- set columns = ['score', 'first_weight', 'second_weight', 'first_rows', 'row_count'] -%}
{{ sqlmetrics.cte(f.cte ~ '_scores', 'one per pair and distinct score') }}
{{ sqlmetrics.sums_by(keys + ['pair_id', 'score'], at_score, paired_rows) }}
{{ sqlmetrics.sums_in_order(f, f.cte ~ '_in_order', 'scores, with the weight of the first class above each', f.cte ~ '_scores', keys + ['pair_id'], 'score', ' desc', columns, {'first_above': ['first_weight', 'before'], 'weight_of_first': ['first_weight', 'total']}) }}
{%- set area = 'sum(second_weight * ((first_above + first_weight / 2) / nullif(weight_of_first, 0))) / nullif(sum(second_weight), 0) as area' -%}
{%- set sums_of_pairs = ['max(weight_of_first) as weight_of_first', 'sum(second_weight) as weight_of_second', area] -%}
{{ sqlmetrics.cte(f.cte, f.rows) }}
{{ sqlmetrics.sums_by(keys + ['pair_id'], sums_of_pairs, f.cte ~ '_in_order', row_count=sqlmetrics.rows_of_pair(pairs, 'sum(row_count)', 'sum(first_rows)')) }}
{%- endif %}
{%- endmacro -%}

{%- macro rows_of_pair(pairs, rows, of_first) -%}
case pair_id{% for pair in pairs if pair.first == 1 %} when {{ loop.index }} then cast({{ rows }}{{ ' - ' ~ of_first if not loop.first }} as bigint){% endfor %} else 0 end
{%- endmacro -%}
