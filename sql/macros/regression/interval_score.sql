{#-
title: Interval score (Winkler score)
answers: [quantile]
formula: mean of (u − l) + 2/α·(l − y)⁺ + 2/α·(y − u)⁺
frame: rows
label_type: number
roles: {lower_bound: required, upper_bound: required}
lower: 0
better: lower
scale: in the unit of the label
undefined: NULL without rows
rules:
  - {column: lower_bound, keeps: abs(lower_bound) <= 1.7976931348623157e308, message: is infinite}
  - {column: upper_bound, keeps: abs(upper_bound) <= 1.7976931348623157e308, message: is infinite}
oracle: interval_score of scoringrules, by hand
source: Gneiting and Raftery, JASA 102 (2007), section 6.2
notes: "The bounds are the predicted α/2 and 1 − α/2 quantiles, such as 0.05 and 0.95 for alpha=0.1. The true quantiles minimize the expected score."
parameters:
  alpha: {type: number, required: true, minimum: 1.0e-9, maximum: 1, doc: "the expected share of labels outside, such as 0.1 for a 90% interval"}
names: {scoringrules: "interval_score"}
example: {label: [3.0, -0.5, 2.0, 7.0], lower_bound: [2.5, 0.0, 2.0, 6.0], upper_bound: [4.0, 1.0, 2.0, 8.0], call: interval_score(alpha=0.2), result: 2.375}
-#}
{%- macro interval_score__value(m) -%}
{%- set outside = '(greatest(lower_bound - label, 0) + greatest(label - upper_bound, 0))' -%}
{{ sqlmetrics.weighted_mean(m, '(upper_bound - lower_bound\n        + ' ~ outside ~ ' * 2 / ' ~ sqlmetrics.number(m.alpha) ~ ')') }}
{%- endmacro -%}
