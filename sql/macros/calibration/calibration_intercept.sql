{#-
title: Calibration intercept
answers: [calibrated]
formula: a of the logistic regression logit P(y = 1) = a + b·logit(p), p kept within [eps, 1 − eps], b = 1 or fitted too
frame: logistic_fit
truth: binary
score: probability
range: 0 is right, above 0 the scores are too low
undefined: NULL when one class is missing; where the slope is fitted, wherever it is
oracle: statsmodels.api.GLM and Logit
source: 'Cox, Biometrika 45 (1958); Van Calster et al., BMC Medicine 17 (2019)'
notes: 'By how much all log odds are too low in the mean. The literature on calibration means the slope to be 1 by this name, and calls it calibration in the large too: it says one thing, how far the level is off. With the slope fitted it is the level of the fit at a score of 0.5, where a log of clicks has no rows.'
parameters:
  slope:
    default: one
    choices: {one: 'is 1, the log odds are an offset: calibration in the large', fitted: is fitted with the intercept}
    doc: what the slope is
  eps: frame
names: {rms: "Intercept"}
example: {label: [0, 1, 0, 1, 1, 0], score: [0.1, 0.4, 0.6, 0.8, 0.9, 0.3], result: 0.7}
-#}
{%- macro calibration_intercept__value(m) -%}
max({{ 'shift' if m.slope == 'one' else 'fitted_intercept' }})
{%- endmacro -%}

{%- macro calibration_intercept__held(m) -%}
{{ sqlmetrics.sum_of(m, 'shift_part' if m.slope == 'one' else 'intercept_part') }} / nullif({{ sqlmetrics.sum_of(m, 'pos + neg') }}, 0)
{%- endmacro -%}
