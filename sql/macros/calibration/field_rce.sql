{#-
title: Field-level relative calibration error
answers: [calibrated_for]
formula: Σ_f n_f·|Σ(p − y)| / Σ y ÷ Σ n_f over the values of the field with a positive
frame: field_sums
label_type: binary
score: probability
roles: {field: required}
lower: 0
better: lower
undefined: NULL without positives (unless eps is set)
oracle: by hand
source: Pan et al., WWW 2020 (arXiv 1905.10713)
parameters:
  eps: {type: number, default: null, minimum: 0, doc: 'if set, it is added to every y in a denominator, and all values of the field count'}
example: {label: [0, 1, 0, 1], score: [0.25, 0.25, 0.5, 0.5], field: [a, a, b, b], result: 0.25}
-#}
{%- macro field_rce__value(m) -%}
{%- if m.eps is none -%}
{{ sqlmetrics.safe_divide(sqlmetrics.sum_of(m, '(pos + neg) * (abs(score_sum - pos) / nullif(pos, 0))'), sqlmetrics.sum_of(m, 'case when pos > 0 then pos + neg end')) }}
{%- else -%}
{%- set label_type = '(pos + ' ~ sqlmetrics.number(m.eps) ~ ' * (pos + neg))' -%}
{{ sqlmetrics.safe_divide(sqlmetrics.sum_of(m, '(pos + neg) * (abs(score_sum - pos) / nullif(' ~ label_type ~ ', 0))'), sqlmetrics.sum_of(m, 'pos + neg')) }}
{%- endif -%}
{%- endmacro -%}
