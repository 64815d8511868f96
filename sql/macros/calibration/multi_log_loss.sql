{#-
title: Multi-class log loss
answers: [probabilities, classes]
formula: −mean ln p(true class), p kept within [eps, 1 − eps]
frame: rows
label_type: class
lower: 0
better: lower
undefined: NULL without rows
oracle: sklearn.metrics.log_loss, on rows that sum to 1
source: scikit-learn user guide, section 3.4.4
notes: A label without a column is an error.
parameters:
  scores: {type: columns, required: true, doc: the column of each class's probability}
  normalize: {type: boolean, default: false, doc: divide each row's probabilities by their sum first}
  eps: frame
names: {scikit-learn: "log_loss (multi-class)", LightGBM: "multi_logloss"}
example: {label: [cat, dog], p_cat: [0.8, 0.4], p_dog: [0.2, 0.6], call: "multi_log_loss(scores={'cat': 'p_cat', 'dog': 'p_dog'})", result: 0.367}
-#}
{%- macro multi_log_loss__value(m) -%}
{%- set eps = sqlmetrics.number(m.eps) -%}
{%- set cases = [] -%}
{%- set columns = [] -%}
{%- for score in m.class_scores -%}
{%- do cases.append('when ' ~ sqlmetrics.literal(score.class) ~ ' then ' ~ score.column) -%}
{%- do columns.append(score.column) -%}
{%- endfor -%}
{%- set probability = 'case label_class\n        ' ~ cases | join('\n        ') ~ '\n    end' -%}
{%- if m.normalize -%}
{%- set probability = probability ~ ' / nullif(' ~ columns | join(' + ') ~ ', 0)' -%}
{%- endif -%}
-{{ sqlmetrics.safe_divide(sqlmetrics.sum_of(m, 'weight * ln(least(greatest(' ~ probability ~ ', ' ~ eps ~ '), 1 - ' ~ eps ~ '))'), sqlmetrics.sum_of(m, 'weight')) }}
{%- endmacro -%}
