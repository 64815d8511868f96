{#-
title: Overlap of two rankings at k
answers: [same_order]
formula: items among the first k of both lists / items among the first k of one of them at least (Jaccard), then the mean over groups
frame: list_overlaps
label_type: ranking
score: number
lower: 0
upper: 1
scale: 1 is the same items
undefined: NULL without groups
oracle: sklearn.metrics.jaccard_score; by hand
source: Jaccard, New Phytologist 11, 1912; Fagin, Kumar and Sivakumar, SODA 2003
notes: "One ranking is by score, the other by label (any numbers, higher first), such as those of an old and a new model. The second ranking may be a relation of its own, judgments; then each list may have items that are not in the other."
parameters:
  k: {type: integer, required: true, minimum: 1, doc: how many items from the top of both lists; shorter lists are used as they are}
  divisor:
    default: union
    choices: {union: the items in at least one list (Jaccard), longer: the items of the longer list}
    doc: the divisor of the items in both
  ties: frame
  missing: frame
example: {label: [3, 4, 1, 2], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: overlap@3, result: 0.5}
-#}
{%- macro overlap_at_k__per_group(m) -%}
{%- set in_both = sqlmetrics.overlap_column(m, 'overlap') -%}
{%- set longer = sqlmetrics.longer_length(m.k) -%}
{{ in_both }}
    / nullif({{ longer }}
    {%- if m.divisor == 'union' %}
        + {{ sqlmetrics.shorter_length(m.k) }}
        - {{ in_both }}
    {%- endif %}, 0)
{%- endmacro -%}
