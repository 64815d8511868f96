{#-
title: Largest calibration error (Emax)
answers: [calibrated]
formula: max |p − r| over the rows, r the score recalibrated by isotonic regression
frame: recalibrated_scores
truth: binary
score: probability
lower: 0
upper: 1
better: lower
undefined: NULL without rows
oracle: sklearn.isotonic.IsotonicRegression
source: Harrell, Regression Modeling Strategies; Austin and Steyerberg, Statistics in Medicine 38 (2019)
notes: How far the worst score is from what it means, be it that of one row; `ece(norm='max')` is the same of bins. There the curve of calibration is a smoothed one (loess).
names: {rms: "val.prob, Emax (by loess)"}
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.6, 0.8], result: 0.2}
-#}
{%- macro emax__value(m) -%}
max(case when pos + neg > 0 then abs(score - rate) end)
{%- endmacro -%}
