{#-
title: Qini curve
answers: [uplift, top_share]
formula: Yₜ − Y_c·Nₜ / N_c over the rows of a score at the threshold or above, and the straight line to the end of the curve
frame: gain_points
label_type: binary
score: number
roles: {treatment: required}
table: true
columns: [threshold, targeted, incremental_gain, random_gain]
order: [threshold desc, targeted]
better: higher
scale: in responses
undefined: random_gain is NULL without treated rows or without others
oracle: qini_curve of scikit-uplift, its formula in numpy
source: Radcliffe, Direct Marketing Analytics Journal 3 (2007)
notes: A quotient without rows counts as 0, as in scikit-uplift. Its points are `targeted`, the weight of the rows, and `incremental_gain`.
parameters: [points]
names: {scikit-uplift: "qini_curve"}
example: {label: [1, 0, 0, 1], score: [0.4, 0.1, 0.3, 0.2], treatment: [1, 1, 0, 0], column: incremental_gain, result: [0.0, 1.0, 1.0, 0.5, 0.0]}
-#}
{%- macro qini_curve__table(m, f, keys) -%}
{%- set gain -%}
treated_positives_cumulative - coalesce(control_positives_cumulative / nullif(control_cumulative, 0), 0) * treated_cumulative
{%- endset -%}
{%- set random_gain -%}
(treated_positives_total - control_positives_total / nullif(control_total, 0) * treated_total)
        * (weight_cumulative / nullif(weight_total, 0))
{%- endset -%}
{{ sqlmetrics.gain_rows(gain, random_gain, f, keys) }}
{%- endmacro -%}
