{#-
title: Integrated calibration index
answers: [calibrated]
formula: mean |p − r|, r the score recalibrated by isotonic regression
frame: recalibrated_scores
label_type: binary
score: probability
lower: 0
upper: 1
better: lower
undefined: NULL without rows
oracle: sklearn.isotonic.IsotonicRegression
source: Austin and Steyerberg, Statistics in Medicine 38 (2019)
notes: The mean calibration error of rows, without bins. The original definition uses a smoothed calibration curve (loess); isotonic regression has no parameter to choose.
names: {rms: "val.prob, Eavg (by loess)"}
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.6, 0.8], result: 0.125}
-#}
{%- macro integrated_calibration_index__value(m) -%}
{{ sqlmetrics.safe_divide('sum((pos + neg) * abs(score - rate))', 'sum(pos + neg)') }}
{%- endmacro -%}
