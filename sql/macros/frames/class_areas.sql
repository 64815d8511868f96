{#-
title: class areas
rows: one per class that has a score, against the rest (ovr), or per ordered pair of such classes (ovo)
stateless: it ranks the rows of every class by their scores
columns: pair_id (the number of the class or pair), weight_of_first and weight_of_second (the rows of the class and of the others), area (the AUC of the class against the others on its score), row_count
parameters:
  multi_class:
    default: ovr
    choices: {ovr: 'each class against the rest', ovo: 'each pair of classes, which does not depend on class frequencies'}
    doc: which classes are ranked against each other
-#}

{%- macro class_areas(f, rows_from, keys) -%}
{%- set pairs = [] -%}
{%- set scores = f.metrics[0].class_scores -%}
{%- for first in range(1, scores | length + 1) -%}
{%- for second in range(1, scores | length + 1) if (second != first if f.params.multi_class == 'ovo' else second == first) -%}
{%- do pairs.append({'first': first, 'second': second, 'score': scores[first - 1].column}) -%}
{%- endfor -%}
{%- endfor -%}
{{ sqlmetrics.areas_of_class_pairs(f, rows_from, keys, pairs) }}
{%- endmacro -%}
