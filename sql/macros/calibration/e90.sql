{#-
title: 90th percentile of the calibration error (E90)
answers: [calibrated]
formula: (weighted) 90th percentile of |p − r|, r the score recalibrated by isotonic regression
frame: recalibrated_scores
uses: [error_order]
truth: binary
score: probability
lower: 0
upper: 1
better: lower
no_interval: 'it is a quantile of an estimated curve, as is e50, whose intervals meant to hold 95 % held 85 %'
undefined: NULL without rows
oracle: sklearn.isotonic.IsotonicRegression, the percentile by hand
source: Harrell, Regression Modeling Strategies; Austin and Steyerberg, Statistics in Medicine 38 (2019)
notes: How far the scores of nine tenths of the rows are from what they mean, at most, beside their mean, the integrated calibration index. There the curve of calibration is a smoothed one (loess). Where rows reach the share exactly, it is the mean of that error and the next; fractional weights that reach it but for 1e-9 reach it. A quantile of type 2 (Hyndman and Fan); numpy and R take type 7 by default.
names: {rms: "val.prob, E90 (by loess)"}
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.6, 0.8], result: 0.2}
-#}
{%- macro e90__value(m) -%}
{{ sqlmetrics.quantile_of_errors(m, 9, 10) }}
{%- endmacro -%}
