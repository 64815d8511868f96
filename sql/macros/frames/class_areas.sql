{#-
title: class areas
rows: one per class that has a score, and other class
stateless: it ranks the rows of every class by their scores
columns: class and other_class (their places among the scores), positives (the weight of the class), weight_of_other, beaten (the weight of the other class, each row by the share of the class that scores above it, ties half), row_count
-#}

{#- Each row once for every class, by the score that it has for it: one order of scores serves the class against the rest and
    against each other class. -#}
{%- macro class_areas(f, rows_from, keys) -%}
{%- set scores = f.metrics[0].class_scores -%}
{%- set class_rows = 'class_rows' ~ f.suffix -%}
{%- set class_positives = 'class_positives' ~ f.suffix -%}
{%- set class_thresholds = 'class_thresholds' ~ f.suffix -%}
{%- set rows_of_classes -%}
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
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.numbers(scores | length, 'class'))) }}
    ) as classes
    {{- f.where | indent(4) }}
) as scores_of_rows
{{- sqlmetrics.group_by(keys + ['class', 'own_class', 'class_score']) }}
{%- endset -%}
{%- set positives -%}
select
    {{- sqlmetrics.leading(keys + ['class', 'class_score']) }}
    sum(case when own_class = class then weight else 0 end) as pos,
    sum(row_count) as row_count
from {{ class_rows }}
{{- sqlmetrics.group_by(keys + ['class', 'class_score']) }}
{%- endset -%}
{%- set thresholds = dict(f, cte=class_thresholds, rows='one per class and distinct score of it') -%}
{%- set sums = [
    {'measure': 'pos', 'reach': 'before', 'as': 'positives_above'},
    {'measure': 'pos', 'reach': 'all', 'as': 'positives'},
] -%}
{#- A row is counted with the first class that is not its own. -#}
{%- set class_areas -%}
select
    {{- sqlmetrics.leading(keys, 'scored') }}
    scored.class as class,
    scored.own_class as other_class,
    max(ranked.positives) as positives,
    sum(scored.weight) as weight_of_other,
    sum(scored.weight * ((ranked.positives_above + ranked.pos / 2) / nullif(ranked.positives, 0))) as beaten,
    sum(case when scored.class = case when scored.own_class = 1 then 2 else 1 end then scored.row_count else 0 end) as row_count
from {{ class_rows }} as scored
inner join {{ class_thresholds }} as ranked
    on {{ sqlmetrics.same_keys('scored', 'ranked', keys + ['class', 'class_score']) | join('\n    and ') }}
where scored.own_class <> scored.class
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('scored', keys + ['class', 'own_class'])) }}
{%- endset -%}
{{ return([
    sqlmetrics.step(class_rows, rows_of_classes, 'one per class, distinct score of it and own class of the rows', stored=true),
    sqlmetrics.step(class_positives, positives, 'the weight of the class itself at each score'),
] + sqlmetrics.running_sums(thresholds, class_positives, keys + ['class'], 'class_score', ' desc', ['class_score', 'pos', 'row_count'], {'pos': 'pos'}, sums) + [
    sqlmetrics.step(f.cte, class_areas, f.rows),
]) }}
{%- endmacro -%}

{#- Which of the classes that have a score is that of the row. -#}
{%- macro place_of_class(scores) -%}
case label_class{% for score in scores %} when {{ sqlmetrics.literal(score.class) }} then {{ loop.index }}{% endfor %} end
{%- endmacro -%}
