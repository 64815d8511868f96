{#-
title: Uncertainty
answers: [probabilities]
formula: the loss of the rate of positives ȳ as the score of every row, ȳ·(1 − ȳ) or −ȳ·ln ȳ − (1 − ȳ)·ln(1 − ȳ)
frame: rows
label_type: binary
score: probability
lower: 0
scale: at most 0.25, or of the log loss ln 2; what any score has to do with
undefined: NULL without rows
oracle: sklearn.metrics.brier_score_loss and log_loss of the rate
source: Murphy, Journal of Applied Meteorology 12 (1973); Dimitriadis, Gneiting and Jordan, PNAS 118 (2021)
notes: 'The loss of a constant prediction of the rate: miscalibration − discrimination + uncertainty is the Brier score, or the log loss.'
parameters:
  loss:
    default: brier
    choices: {brier: the squared difference of score and label, log_loss: '−ln of the probability of the observed label'}
    doc: the loss of a score
names: {reliabilitydiag: "uncertainty (UNC)", model-diagnostics: "decompose, uncertainty"}
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.6, 0.8], result: 0.25}
-#}
{%- macro uncertainty__value(m) -%}
{%- set total = sqlmetrics.positives_and_negatives(m) -%}
{%- set rate = sqlmetrics.safe_divide(sqlmetrics.positives(m), total) -%}
{%- set negative_rate = sqlmetrics.safe_divide(sqlmetrics.negatives(m), total) -%}
{%- if m.loss == 'brier' -%}
{{ rate }} * ({{ negative_rate }})
{%- else -%}
case when {{ total }} > 0 then 0 - coalesce({{ rate }} * ln(nullif({{ rate }}, 0)), 0) - coalesce({{ negative_rate }} * ln(nullif({{ negative_rate }}, 0)), 0) end
{%- endif %}
{%- endmacro -%}
