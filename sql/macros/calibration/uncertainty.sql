{#-
title: Uncertainty
answers: [probabilities]
formula: the loss of the rate of positives ȳ as the score of every row, ȳ·(1 − ȳ) or −ȳ·ln ȳ − (1 − ȳ)·ln(1 − ȳ)
frame: isotonic_blocks
uses: [loss]
truth: binary
score: probability
range: 0 to 0.25, or to ln 2; what any score has to do with
undefined: NULL without rows
oracle: sklearn.metrics.brier_score_loss and log_loss of the rate
source: Murphy, Journal of Applied Meteorology 12 (1973); Dimitriadis, Gneiting and Jordan, PNAS 118 (2021)
notes: 'What is lost by whoever knows nothing but the rate: miscalibration − discrimination + uncertainty is the Brier score, or the log loss.'
parameters: {loss: frame, eps: frame}
names: {reliabilitydiag: "uncertainty (UNC)", model-diagnostics: "decompose, uncertainty"}
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.6, 0.8], result: 0.25}
-#}
{%- macro uncertainty__value(m) -%}
({{ sqlmetrics.loss_of_rate(m, 'sum(pos)', 'sum(neg)', 'sum(pos + neg)') }}) / nullif(sum(pos + neg), 0)
{%- endmacro -%}
