{#-
title: Brier score
answers: [calibrated, probabilities]
formula: mean (p − y)²
frame: rows
label_type: binary
score: probability
lower: 0
upper: 1
better: lower
undefined: NULL without rows
oracle: sklearn.metrics.brier_score_loss
source: Brier, Monthly Weather Review 78 (1950)
notes: The Brier skill score is 1 − brier / uncertainty(loss='brier').
names: {scikit-learn: "brier_score_loss"}
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.1581}
-#}
{%- macro brier__value(m) -%}
{%- if sqlmetrics.row_weight(m) -%}
{{ sqlmetrics.sum_of(m, 'pos * ' ~ sqlmetrics.square('(1 - score)') ~ ' + neg * ' ~ sqlmetrics.square('score')) }} / nullif({{ sqlmetrics.sum_of(m, 'pos + neg') }}, 0)
{%- else -%}
{#- `label` if numeric metrics read it too, so that the error of a row is computed once. -#}
{%- set error = '(' ~ ('label' if m.label_is_there else 'pos') ~ ' - score)' -%}
sum({{ sqlmetrics.square(error) }}) / nullif(count(*), 0)
{%- endif -%}
{%- endmacro -%}
