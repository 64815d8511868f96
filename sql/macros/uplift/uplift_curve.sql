{#-
title: Uplift curve
answers: [uplift, top_share]
formula: (Yₜ / Nₜ − Y_c / N_c)·(Nₜ + N_c) over the rows of a score at the threshold or above, and the straight line to the end of the curve
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
oracle: uplift_curve of scikit-uplift, its formula in numpy
source: Devriendt, Guns and Verbeke, arXiv 2002.05897
notes: A quotient without rows counts as 0, as in scikit-uplift. Its points are `targeted`, the weight of the rows, and `incremental_gain`.
parameters: [points]
names: {scikit-uplift: "uplift_curve"}
example: {label: [1, 0, 0, 1], score: [0.4, 0.1, 0.3, 0.2], treatment: [1, 1, 0, 0], column: incremental_gain, result: [0.0, 1.0, 2.0, 1.5, 0.0]}
-#}
{%- macro uplift_curve__table(m, f, keys) -%}
{%- set gain -%}
(coalesce(treated_positives_cumulative / nullif(treated_cumulative, 0), 0) - coalesce(control_positives_cumulative / nullif(control_cumulative, 0), 0))
        * weight_cumulative
{%- endset -%}
{%- set random_gain -%}
(treated_positives_total / nullif(treated_total, 0) - control_positives_total / nullif(control_total, 0)) * weight_cumulative
{%- endset -%}
{{ sqlmetrics.gain_rows(gain, random_gain, f, keys) }}
{%- endmacro -%}
