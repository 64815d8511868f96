{#-
title: Predicted click over click
answers: [calibrated, bias]
formula: Σ p / Σ y
frame: rows
label_type: binary
score: probability
lower: 0
ideal: 1
scale: 1 is calibrated, above 1 the model predicts too much
undefined: NULL without positives
oracle: by hand
source: He et al., ADKDD 2014 (there named calibration)
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.1, 0.4], result: 0.5}
-#}
{%- macro pcoc__value(m) -%}
{{ sqlmetrics.safe_divide(sqlmetrics.score_sum(m), sqlmetrics.positives(m)) }}
{%- endmacro -%}
