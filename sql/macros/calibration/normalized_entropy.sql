{#-
title: Normalised entropy
answers: [better, probabilities]
formula: log loss / −(q·ln q + (1 − q)·ln(1 − q)), q the slice's own rate of positives
frame: rows
label_type: binary
score: probability
lower: 0
better: lower
scale: 1 is as good as always predicting the rate
undefined: NULL when one class is missing
oracle: by hand
source: He et al., ADKDD 2014
parameters: [eps]
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.6814}
-#}
{%- macro normalized_entropy__value(m) -%}
{%- set yes = sqlmetrics.sum_of(m, 'pos') -%}
{%- set no = sqlmetrics.sum_of(m, 'neg') -%}
{%- set all = sqlmetrics.sum_of(m, 'pos + neg') -%}
case when {{ yes }} > 0 and {{ no }} > 0
    then {{ sqlmetrics.cross_entropy(m, precise=true) }}
    / nullif(-({{ yes }} * ln({{ yes }} / {{ all }}) + {{ no }} * ln({{ no }} / {{ all }}))
        / {{ all }}, 0) end
{%- endmacro -%}
