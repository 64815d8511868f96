{#-
title: Miscalibration (CORP)
answers: [calibrated, probabilities]
formula: mean S(p, y) − mean S(r, y), r the scores recalibrated by isotonic regression, S the loss of a row
frame: recalibrated_scores
uses: [loss]
label_type: binary
score: probability
lower: 0
better: lower
undefined: NULL without rows
oracle: the losses before and after sklearn.isotonic.IsotonicRegression
source: Dimitriadis, Gneiting and Jordan, PNAS 118 (2021)
notes: 'The loss due to miscalibration, without bins: miscalibration − discrimination + uncertainty is the Brier score, or the log loss. `eps` clips p, not r. Blocks are fitted to the same rows, so calibrated scores are also above 0, by less the more rows there are.'
parameters: {loss: frame, eps: frame}
names: {reliabilitydiag: "miscalibration (MCB)", model-diagnostics: "decompose, miscalibration"}
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.6, 0.8], result: 0.0675}
-#}
{%- macro miscalibration__value(m) -%}
{{ sqlmetrics.mean_loss_above_zero(sqlmetrics.loss_of_scores(m), sqlmetrics.loss_of_rates(m)) }}
{%- endmacro -%}
