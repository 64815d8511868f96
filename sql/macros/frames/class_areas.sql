{#-
title: class areas
rows: one per class that has a score, and other class
stateless: it ranks the rows of every class by their scores
columns: class and other_class (their places among the scores), positives (the weight of the class), weight_of_other, beaten (the weight of the other class, each row by the share of the class that scores above it, ties half), row_count
-#}

{#- Each row once for every class, by its score for the class: one order serves the class against the rest and against each other one. -#}
{%- macro class_areas(f, rows_from, keys) -%}
{%- set scores = f.metrics[0].class_scores -%}
{%- set class_rows = 'class_rows' ~ f.suffix -%}
{%- set positives = 'class_positives' ~ f.suffix -%}
{%- set thresholds = dict(f, cte='class_thresholds' ~ f.suffix, rows='one per class and distinct score of it') -%}
{%- set sums = [{'measure': 'pos', 'reach': 'before', 'as': 'positives_above'}, {'measure': 'pos', 'reach': 'all', 'as': 'positives'}] -%}
{{ sqlmetrics.cte(class_rows, 'one per class, distinct score of it and own class of the rows', stored=true) }}
select
    {{- sqlmetrics.leading(keys + ['class', 'own_class', 'class_score']) }}
    sum(weight) as weight,
    count(*) as row_count
from (
    select
        {{- sqlmetrics.leading(keys + ['class'], depth=2) }}
        {{ sqlmetrics.place_of_class(scores) }} as own_class,
        case class{% for score in scores %} when {{ loop.index }} then {{ score.column }}{% endfor %} end as class_score,
        weight
    from {{ rows_from }}
    cross join (
        {{ sqlmetrics.numbers(scores | length, 'class') | indent(8) }}
    ) as classes
    {{- f.where | indent(4) }}
) as scores_of_rows
{{- sqlmetrics.group_by(keys + ['class', 'own_class', 'class_score']) }}
{{ sqlmetrics.cte(positives, 'the weight of the class itself at each score') }}
{{ sqlmetrics.sums_by(keys + ['class', 'class_score'], ['sum(case when own_class = class then weight else 0 end) as pos'], class_rows, row_count='sum(row_count)') }}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(thresholds, positives, keys + ['class'], 'class_score', ' desc', ['class_score', 'pos', 'row_count'], {'pos': 'pos'}, sums)) }}
{#- A row is counted with the first class that is not its own. -#}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys, 'scored') }}
    scored.class as class,
    scored.own_class as other_class,
    max(ranked.positives) as positives,
    sum(scored.weight) as weight_of_other,
    sum(scored.weight * ((ranked.positives_above + ranked.pos / 2) / nullif(ranked.positives, 0))) as beaten,
    sum(case when scored.class = case when scored.own_class = 1 then 2 else 1 end then scored.row_count else 0 end) as row_count
from {{ class_rows }} as scored
inner join {{ thresholds.cte }} as ranked
    on {{ sqlmetrics.same_keys('scored', 'ranked', keys + ['class', 'class_score']) | join('\n    and ') }}
where scored.own_class <> scored.class
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('scored', keys + ['class', 'own_class'])) }}
{%- endmacro -%}

{#- Which of the classes that have a score is that of the row. -#}
{%- macro place_of_class(scores) -%}
case label_class{% for score in scores %} when {{ sqlmetrics.literal(score.class) }} then {{ loop.index }}{% endfor %} end
{%- endmacro -%}
