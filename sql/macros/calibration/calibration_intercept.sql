{#-
title: Calibration intercept
answers: [calibrated]
formula: a of the logistic regression logit P(y = 1) = a + b·logit(p), p kept within [eps, 1 − eps], b = 1 or fitted too
frame: logistic_fit
truth: binary
score: probability
scale: 0 is calibrated, above 0 the scores are too low
undefined: NULL when one class is missing, and where weights that are no whole numbers leave only their last bits, because nearly every score that tells something is 0 or 1; of a fitted slope, wherever that is NULL
oracle: statsmodels.api.GLM and Logit
source: 'Cox, Biometrika 45 (1958); Van Calster et al., BMC Medicine 17 (2019)'
notes: 'By how much the log odds are too low on the whole. By this name the literature on calibration means the intercept with a slope of 1, also called calibration in the large, which says how far the level is off and nothing else: so it is the default. With a fitted slope it is how far the fit is off at a score of 0.5, where a log of clicks hardly has a row; rms tells that.'
parameters:
  slope:
    default: one
    choices: {one: 'is 1, the log odds are an offset: calibration in the large', fitted: is fitted with the intercept}
    doc: what the slope is
  eps: frame
names: {rms: "Intercept (slope='fitted')"}
example: {label: [0, 1, 0, 1, 1, 0], score: [0.1, 0.4, 0.6, 0.8, 0.9, 0.3], result: -0.0971}
-#}
{%- macro calibration_intercept__value(m) -%}
max({{ 'shift' if m.slope == 'one' else 'fitted_intercept' }})
{%- endmacro -%}

{%- macro calibration_intercept__held(m) -%}
{{ sqlmetrics.sum_of(m, 'shift_part' if m.slope == 'one' else 'intercept_part') }} / nullif({{ sqlmetrics.sum_of(m, 'pos + neg') }}, 0)
{%- endmacro -%}
