{#-
title: Grouped calibration-N
answers: [calibrated_for]
formula: Σ w_f·cal_n_f / Σ w_f over the values of the field, w_f its rows
frame: field_bins
label_type: binary
score: probability
roles: {field: required}
lower: 0
better: lower
undefined: NULL when no value of the field has a cal_n
oracle: by hand
source: Deng et al., ECML-PKDD 2020
parameters: {bins: frame, binning: frame}
example: {label: [0, 1, 0, 1], score: [0.25, 0.25, 0.5, 0.5], field: [a, a, b, b], call: gc_n(bins=1), result: 0.5}
-#}
{%- macro gc_n__value(m) -%}
{{ sqlmetrics.safe_divide('sum(weight * cal_n)', 'sum(case when cal_n is not null then weight end)') }}
{%- endmacro -%}
