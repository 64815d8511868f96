{#-
title: Click over predicted click
answers: [calibrated, bias]
formula: Σ y / Σ p
frame: rows
label_type: binary
score: probability
lower: 0
ideal: 1
scale: 1 is calibrated, above 1 the model predicts too little
undefined: NULL when the predictions add up to 0
oracle: by hand
source: Graepel et al., ICML 2010
notes: The observed click rate (CTR) over the predicted one.
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.1, 0.4], result: 2.0}
-#}
{%- macro copc__value(m) -%}
{{ sqlmetrics.safe_divide(sqlmetrics.positives(m), sqlmetrics.score_sum(m)) }}
{%- endmacro -%}
