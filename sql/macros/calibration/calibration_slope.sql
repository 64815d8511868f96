{#-
title: Calibration slope
answers: [calibrated]
formula: b of the logistic regression logit P(y = 1) = a + b·logit(p), p kept within [eps, 1 − eps]
frame: logistic_fit
truth: binary
score: probability
ideal: 1
scale: 1 is calibrated, below 1 the scores are too far from each other
undefined: NULL where there is no finite fit, which is where some score parts the classes (no positive below it and no negative above it, or the reverse), so also where one class is missing or all scores are equal
oracle: statsmodels.api.Logit
source: 'Cox, Biometrika 45 (1958); Van Calster et al., BMC Medicine 17 (2019)'
notes: 'Whether log odds are as far from each other as they should be, whatever their level: 1 if they are, below 1 for scores that are too sure of themselves, as of a model that was fitted too closely. With `calibration_intercept` it is weak calibration. Engines on which a step cannot read itself, as Spark, take eight rounds of the fit: more are only needed where scores nearly part the classes, and there it is NULL too.'
parameters: {eps: frame}
names: {rms: "Slope"}
example: {label: [0, 1, 0, 1, 1, 0], score: [0.1, 0.4, 0.6, 0.8, 0.9, 0.3], result: 1.4652}
-#}
{%- macro calibration_slope__value(m) -%}
max(fitted_slope)
{%- endmacro -%}

{%- macro calibration_slope__held(m) -%}
{{ sqlmetrics.sum_of(m, 'slope_part') }} / nullif({{ sqlmetrics.sum_of(m, 'pos + neg') }}, 0)
{%- endmacro -%}
