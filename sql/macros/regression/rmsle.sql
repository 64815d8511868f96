{#-
title: Root mean squared logarithmic error
answers: [percent]
formula: √ mean (ln(1 + y) − ln(1 + ŷ))²
frame: rows
label_type: number
score: number
lower: 0
better: lower
undefined: NULL without rows; a value of −1 or less is an error
rules:
  - {column: label, keeps: label > -1, message: 'is -1 or less, which has no logarithm of 1 + label'}
  - {column: score, keeps: score > -1, message: 'is -1 or less, which has no logarithm of 1 + score'}
oracle: sklearn.metrics.root_mean_squared_log_error
source: scikit-learn user guide, section 3.4.6
names: {scikit-learn: "root_mean_squared_log_error"}
example: {label: [3.0, 5.0, 2.5, 7.0], score: [2.5, 5.0, 4.0, 8.0], result: 0.1993}
-#}
{#- Values at or below -1 have no logarithm: the Python runner rejects them, plain SQL drops them. The difference of the logarithms of
    close values loses digits. So it is the logarithm of 1 + d = (1 + y) / (1 + ŷ), which for a small d is d · ln(u) / (u − 1), u = 1 +
    d as rounded (Kahan). -#}
{%- macro rmsle__value(m) -%}
{%- set apart = '((label - score) / (1 + score))' -%}
{%- set logarithms_apart -%}
case
    when abs({{ apart }}) > 0.5 then ln(1 + label) - ln(1 + score)
    when 1 + {{ apart }} = 1 then {{ apart }}
    else {{ apart }} * (ln(1 + {{ apart }}) / ((1 + {{ apart }}) - 1))
end
{%- endset -%}
sqrt({{ sqlmetrics.sum_of(m, 'case when label > -1 and score > -1 then weight * power(' ~ logarithms_apart ~ ', 2) end') }} / nullif({{ sqlmetrics.sum_of(m, 'case when label > -1 and score > -1 then weight end') }}, 0))
{%- endmacro -%}
