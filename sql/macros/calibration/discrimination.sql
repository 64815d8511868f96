{#-
title: Discrimination (CORP)
answers: [order, probabilities]
formula: S(ȳ) − mean S(r, y), r the scores recalibrated by isotonic regression, ȳ the rate of positives, S the loss of a row
frame: recalibrated_scores
uses: [loss]
label_type: binary
score: probability
lower: 0
better: higher
scale: at most the uncertainty
undefined: NULL without rows
oracle: the losses of the rate and after sklearn.isotonic.IsotonicRegression
source: Dimitriadis, Gneiting and Jordan, PNAS 118 (2021)
notes: 'The part of the uncertainty that the recalibrated scores remove: miscalibration − discrimination + uncertainty is the Brier score, or the log loss. `eps` clips p only, not r and ȳ, so it changes nothing here.'
parameters: {loss: frame, eps: frame}
names: {reliabilitydiag: "discrimination (DSC)", model-diagnostics: "decompose, discrimination"}
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.6, 0.8], result: 0.125}
-#}
{%- macro discrimination__value(m) -%}
{{ sqlmetrics.mean_loss_above_zero(sqlmetrics.loss_of_mean_rate(m), sqlmetrics.loss_of_rates(m)) }}
{%- endmacro -%}
