{#-
title: Field-level expected calibration error
answers: [calibrated_for]
formula: Σ_f |Σ w(p − y)| / W over the values of the field
frame: field_sums
label_type: binary
score: probability
roles: {field: required}
lower: 0
upper: 1
better: lower
undefined: NULL without rows
oracle: by hand
source: Pan et al., WWW 2020 (arXiv 1905.10713)
example: {label: [0, 1, 0, 1], score: [0.25, 0.25, 0.5, 0.5], field: [a, a, b, b], result: 0.125}
-#}
{%- macro field_ece__value(m) -%}
{{ sqlmetrics.safe_divide(sqlmetrics.sum_of(m, 'abs(score_sum - pos)'), sqlmetrics.sum_of(m, 'pos + neg')) }}
{%- endmacro -%}
