{#-
title: Symmetric mean absolute percentage error
answers: [percent]
formula: 100 · mean 2·|y − ŷ| / (|y| + |ŷ|), 0/0 counting 0
frame: rows
label_type: number
score: number
lower: 0
upper: 200
better: lower
scale: in percent
undefined: NULL without rows
oracle: by hand
source: Makridakis, International Journal of Forecasting 9 (1993)
parameters:
  form:
    default: '200'
    choices: {'200': from 0 to 200, '100': half of it}
    doc: the scale
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 57.8788}
-#}
{%- macro smape__value(m) -%}
{{ 200 if m.form == '200' else 100 }} * {{ sqlmetrics.weighted_mean(m, 'coalesce(abs(label - score) / nullif(abs(label) + abs(score), 0), 0)') }}
{%- endmacro -%}
