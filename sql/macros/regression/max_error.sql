{#-
title: Largest error
answers: [error]
formula: max |y − ŷ|
frame: rows
label_type: number
score: number
lower: 0
better: lower
scale: in the unit of the label
undefined: NULL without rows
no_interval: a single row determines it, and a log does not bound the errors of other rows
oracle: sklearn.metrics.max_error
source: scikit-learn user guide, section 3.4.6
names: {scikit-learn: "max_error"}
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 1.0}
-#}
{%- macro max_error__value(m) -%}
{{ sqlmetrics.max_of(m, 'case when weight > 0 then abs(label - score) end') }}
{%- endmacro -%}
