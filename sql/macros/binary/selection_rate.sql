{#-
title: Selection rate
answers: [calls, drifted]
formula: (TP + FP) / N, the share of rows called positive
frame: rows
score: threshold
roles: {weight: optional}
lower: 0
upper: 1
undefined: NULL without rows
oracle: fairlearn.metrics.selection_rate; numpy
source: Agarwal and others, ICML 2018 (fairlearn user guide, demographic parity)
parameters: [threshold]
notes: It needs no label. `gaps` of the selection rate between groups measures demographic parity.
example: {score: [0.6, 0.7, 0.4, 0.1], result: 0.5}
-#}
{%- macro selection_rate__value(m) -%}
{{ sqlmetrics.safe_divide(sqlmetrics.sum_of(m, 'weight * ' ~ sqlmetrics.called(m)), sqlmetrics.sum_of(m, 'weight')) }}
{%- endmacro -%}
