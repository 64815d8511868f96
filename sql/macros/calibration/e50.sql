{#-
title: Median calibration error (E50)
answers: [calibrated]
formula: (weighted) median of |p − r|, r the score recalibrated by isotonic regression
frame: recalibrated_scores
uses: [error_order]
label_type: binary
score: probability
lower: 0
upper: 1
better: lower
no_interval: 'it is a quantile of an estimated curve, whose bias is as large as its spread: intervals at 95% covered 85%'
undefined: NULL without rows
oracle: sklearn.isotonic.IsotonicRegression, the percentile by hand
source: Harrell, Regression Modeling Strategies; Austin and Steyerberg, Statistics in Medicine 38 (2019)
notes: The median of the calibration errors of rows; their mean is the integrated calibration index. The original definition uses a smoothed calibration curve (loess). The quantile is of type 2 (Hyndman and Fan). Where rows reach the share exactly (within 1e-9 for fractional weights), it is the mean of two neighbouring errors. The default of numpy and R is type 7.
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.6, 0.8], result: 0.1}
-#}
{%- macro e50__value(m) -%}
{{ sqlmetrics.quantile_of_errors(m, 1, 2) }}
{%- endmacro -%}
