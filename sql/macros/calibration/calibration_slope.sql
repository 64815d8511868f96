{#-
title: Calibration slope
answers: [calibrated]
formula: b of the logistic regression logit P(y = 1) = a + b·logit(p), p kept within [eps, 1 − eps]
frame: logistic_fit
label_type: binary
score: probability
ideal: 1
scale: 1 is calibrated, below 1 the scores are too far from each other
undefined: NULL where there is no finite fit because a score separates the classes (no positive below it and no negative above it, or the reverse). This includes a missing class and equal scores
oracle: statsmodels.api.Logit
source: 'Cox, Biometrika 45 (1958); Van Calster et al., BMC Medicine 17 (2019)'
notes: 'Measures the spread of the log odds, independent of their level: 1 is right, and below 1 the scores are too extreme, as in an overfitted model. With `calibration_intercept` it measures weak calibration. Engines without recursion, such as Spark, run eight rounds of the fit. More rounds are needed only where scores nearly separate the classes; the value is NULL there.'
parameters: {eps: frame}
names: {rms: "Slope"}
example: {label: [0, 1, 0, 1, 1, 0], score: [0.1, 0.4, 0.6, 0.8, 0.9, 0.3], result: 1.4652}
-#}
{%- macro calibration_slope__value(m) -%}
max(fitted_slope)
{%- endmacro -%}

{%- macro calibration_slope__at_fixed_ranks(m) -%}
{{ sqlmetrics.sum_of(m, 'slope_part') }} / nullif({{ sqlmetrics.sum_of(m, 'pos + neg') }}, 0)
{%- endmacro -%}
