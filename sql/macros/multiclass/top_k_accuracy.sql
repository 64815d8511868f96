{#-
title: Top-k accuracy
answers: [classes]
formula: share of rows whose true class is among the k with the highest scores
frame: rows
label_type: class
lower: 0
upper: 1
better: higher
undefined: NULL without rows
oracle: sklearn.metrics.top_k_accuracy_score
source: scikit-learn user guide, section 3.4.4
notes: A label without a column is an error.
parameters:
  scores: {type: columns, required: true, doc: the column of each class's probability}
  k: {type: integer, required: true, minimum: 1, doc: the number of classes to consider}
  equal_scores:
    default: worst
    choices: {worst: 'other classes with the same score rank before the true class', order: 'the later class in `scores` ranks first, as in scikit-learn, which sorts the classes'}
    doc: the order of classes with the score of the true class
    presets: {sklearn: order}
    used_by: {order: scikit-learn}
names: {scikit-learn: "top_k_accuracy_score"}
example: {label: [cat, dog], p_cat: [0.8, 0.6], p_dog: [0.2, 0.4], call: "top_k_accuracy(k=1, scores={'cat': 'p_cat', 'dog': 'p_dog'})", result: 0.5}
-#}
{%- macro top_k_accuracy__value(m) -%}
{%- set cases = [] -%}
{%- for score in m.class_scores -%}
{%- set before = cases | length -%}
{%- set ahead = [] -%}
{%- for other in m.class_scores -%}
{%- if loop.index0 != before -%}
{%- set with_equals = m.equal_scores == 'worst' or loop.index0 > before -%}
{%- do ahead.append('case when ' ~ other.column ~ (' >= ' if with_equals else ' > ') ~ score.column ~ ' then 1 else 0 end') -%}
{%- endif -%}
{%- endfor -%}
{%- do cases.append('when ' ~ sqlmetrics.literal(score.class) ~ ' then case when ' ~ (ahead | join('\n            + ') or '0') ~ ' < ' ~ m.k ~ ' then 1 else 0 end') -%}
{%- endfor -%}
{{ sqlmetrics.safe_divide(sqlmetrics.sum_of(m, 'weight * case label_class\n        ' ~ cases | join('\n        ') ~ '\n    end'), sqlmetrics.sum_of(m, 'weight')) }}
{%- endmacro -%}
