{#-
title: Lift of the rows called positive
formula: rate of positives among the rows at the threshold or above / rate among all rows
frame: rows
label_type: binary
score: threshold
lower: 0
better: higher
scale: 1 is chance
undefined: NULL when no row reaches the threshold, or without positives
oracle: by hand
source: yours
parameters: [threshold]
example: {label: [0, 1, 1, 0], score: [0.2, 0.7, 0.6, 0.9], result: 1.3333}
-#}
{%- macro lift_at_threshold__value(m) -%}
{%- set called = sqlmetrics.sum_of(m, 'case when ' ~ sqlmetrics.called_positive(m) ~ ' then pos + neg else 0 end') -%}
{{ sqlmetrics.true_positives(m) }} / nullif({{ called }}, 0) * {{ sqlmetrics.sum_of(m, 'pos + neg') }} / nullif({{ sqlmetrics.sum_of(m, 'pos') }}, 0)
{%- endmacro -%}
