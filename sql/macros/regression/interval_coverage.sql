{#-
title: Coverage of an interval
answers: [quantile]
formula: share of the rows with l ≤ y ≤ u
frame: rows
label_type: number
roles: {lower_bound: required, upper_bound: required}
lower: 0
upper: 1
scale: best at the level of the interval
undefined: NULL without rows
oracle: by hand
source: Khosravi et al., IEEE Transactions on Neural Networks 22 (2011)
notes: "A 90% interval should contain nine rows in ten. An end may be infinite. Intervals that are far too wide also cover: [`interval_score`](#interval_score) penalizes their width."
example: {label: [3.0, -0.5, 2.0, 7.0], lower_bound: [2.5, 0.0, 2.0, 6.0], upper_bound: [4.0, 1.0, 2.0, 8.0], result: 0.75}
-#}
{%- macro interval_coverage__value(m) -%}
{{ sqlmetrics.weighted_mean(m, sqlmetrics.to_double('case when label between lower_bound and upper_bound then 1 else 0 end')) }}
{%- endmacro -%}
