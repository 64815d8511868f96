{#-
title: Weighted mean absolute percentage error
answers: [percent]
formula: 100 · Σ w·|y − ŷ| / Σ w·|y|
frame: rows
label_type: number
score: number
lower: 0
better: lower
scale: in percent
undefined: NULL when the labels are all 0
oracle: by hand
source: Kolassa and Schütz, Foresight 6 (2007)
notes: Also called WAPE.
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 16.0}
-#}
{%- macro wmape__value(m) -%}
100 * {{ sqlmetrics.safe_divide(sqlmetrics.weighted_sum(m, 'abs(label - score)'), sqlmetrics.weighted_sum(m, 'abs(label)')) }}
{%- endmacro -%}
