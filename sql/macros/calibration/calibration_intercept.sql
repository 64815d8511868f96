{#-
title: Calibration intercept
answers: [calibrated]
formula: a of the logistic regression logit P(y = 1) = a + b·logit(p), p kept within [eps, 1 − eps], b = 1 or fitted too
frame: logistic_fit
label_type: binary
score: probability
scale: 0 is calibrated, above 0 the scores are too low
undefined: NULL when one class is missing, or where the fitted slope is NULL. With fractional weights also NULL where nearly all scores are 0 or 1 and only rounding errors remain
oracle: statsmodels.api.GLM and Logit
source: 'Cox, Biometrika 45 (1958); Van Calster et al., BMC Medicine 17 (2019)'
notes: 'How much too low the log odds are on average. The default slope of 1 is called calibration in the large in the literature: it measures only the overall level. With a fitted slope, as in rms, the intercept is the error at a score of 0.5, where click logs have few rows.'
parameters:
  slope:
    default: one
    choices: {one: 'the slope is 1, so the log odds are an offset: calibration in the large', fitted: the slope is fitted with the intercept}
    doc: how the slope is set
  eps: frame
names: {rms: "Intercept (slope='fitted')"}
example: {label: [0, 1, 0, 1, 1, 0], score: [0.1, 0.4, 0.6, 0.8, 0.9, 0.3], result: -0.0971}
-#}
{%- macro calibration_intercept__value(m) -%}
max({{ 'shift' if m.slope == 'one' else 'fitted_intercept' }})
{%- endmacro -%}

{%- macro calibration_intercept__at_fixed_ranks(m) -%}
{{ sqlmetrics.sum_of(m, 'shift_part' if m.slope == 'one' else 'intercept_part') }} / nullif({{ sqlmetrics.sum_of(m, 'pos + neg') }}, 0)
{%- endmacro -%}
