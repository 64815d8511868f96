{#-
title: Largest calibration error (Emax)
answers: [calibrated]
formula: max |p − r| over the rows, r the score recalibrated by isotonic regression
frame: recalibrated_scores
label_type: binary
score: probability
lower: 0
upper: 1
better: lower
undefined: NULL without rows
oracle: sklearn.isotonic.IsotonicRegression
source: Harrell, Regression Modeling Strategies; Austin and Steyerberg, Statistics in Medicine 38 (2019)
notes: The largest calibration error of a score, even of a single row; `ece(norm='max')` is the same for bins. The original definition uses a smoothed calibration curve (loess).
names: {rms: "val.prob, Emax (by loess)"}
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.6, 0.8], result: 0.2}
-#}
{%- macro emax__value(m) -%}
max(case when pos + neg > 0 then abs(score - rate) end)
{%- endmacro -%}
