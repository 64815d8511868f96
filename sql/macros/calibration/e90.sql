{#-
title: 90th percentile of the calibration error (E90)
answers: [calibrated]
formula: (weighted) 90th percentile of |p − r|, r the score recalibrated by isotonic regression
frame: recalibrated_scores
uses: [error_order]
label_type: binary
score: probability
lower: 0
upper: 1
better: lower
no_interval: 'it is a quantile of an estimated curve, as is e50, whose intervals at 95% covered 85%'
undefined: NULL without rows
oracle: sklearn.isotonic.IsotonicRegression, the percentile by hand
source: Harrell, Regression Modeling Strategies; Austin and Steyerberg, Statistics in Medicine 38 (2019)
notes: The 90th percentile of the calibration errors of rows; their mean is the integrated calibration index. The original definition uses a smoothed calibration curve (loess). The quantile is of type 2 (Hyndman and Fan). Where rows reach the share exactly (within 1e-9 for fractional weights), it is the mean of two neighbouring errors. The default of numpy and R is type 7.
names: {rms: "val.prob, E90 (by loess)"}
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.6, 0.8], result: 0.2}
-#}
{%- macro e90__value(m) -%}
{{ sqlmetrics.quantile_of_errors(m, 9, 10) }}
{%- endmacro -%}
