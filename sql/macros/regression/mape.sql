{#-
title: Mean absolute percentage error
answers: [percent]
formula: mean |y − ŷ| / |y|, × 100 in percent
frame: rows
label_type: number
score: number
lower: 0
better: lower
scale: in percent or as a fraction
undefined: NULL when every label is 0
oracle: 100 · sklearn.metrics.mean_absolute_percentage_error
source: Hyndman and Koehler, International Journal of Forecasting 22 (2006)
parameters:
  zero:
    default: skip
    choices: {skip: the row is dropped, 'null': the whole value is NULL}
    doc: the effect of a label of 0
  eps:
    type: number
    default: null
    minimum: 1.0e-300
    doc: 'if set, it replaces a smaller |y| in the denominator, and no row is dropped'
    presets: {sklearn: 2.220446049250313e-16, lightgbm: 1}
    used_by: {2.220446049250313e-16: scikit-learn, 1: LightGBM}
  unit:
    default: percent
    choices: {percent: '100 times the mean', fraction: the mean itself}
    doc: the unit of the value
    presets: {sklearn: fraction, lightgbm: fraction}
    used_by: {fraction: 'scikit-learn, LightGBM'}
names: {scikit-learn: "mean_absolute_percentage_error", LightGBM: "mape"}
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 32.7381}
-#}
{%- macro mape__value(m) -%}
{%- set scale = '100 * ' if m.unit == 'percent' else '' -%}
{%- if m.eps is not none -%}
{{ scale }}{{ sqlmetrics.safe_divide(sqlmetrics.sum_of(m, 'weight * (abs(label - score) / greatest(abs(label), ' ~ sqlmetrics.number(m.eps) ~ '))'), sqlmetrics.sum_of(m, 'weight')) }}
{%- else -%}
{%- set value = scale ~ sqlmetrics.sum_of(m, 'weight * (abs(label - score) / nullif(abs(label), 0))') ~ ' / nullif(' ~ sqlmetrics.sum_of(m, 'case when label <> 0 then weight end') ~ ', 0)' -%}
{{ value if m.zero == 'skip' else 'case when ' ~ sqlmetrics.max_of(m, 'case when label = 0 and weight > 0 then 1 else 0 end') ~ ' = 0 then ' ~ value ~ ' end' }}
{%- endif -%}
{%- endmacro -%}
