{#-
title: Coverage of a quantile
answers: [quantile]
formula: share of the rows with y ≤ ŷ
frame: rows
label_type: number
score: number
lower: 0
upper: 1
scale: best at the level of the quantile
undefined: NULL without rows
oracle: by hand
source: Gneiting, Balabdaoui and Raftery, JRSS B 69 (2007)
notes: "The score is a predicted quantile: nine rows in ten should be at or below the 0.9 quantile. [`pinball`](#pinball) also measures the distance."
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 0.75}
-#}
{%- macro quantile_coverage__value(m) -%}
{{ sqlmetrics.weighted_mean(m, sqlmetrics.to_double('case when label <= score then 1 else 0 end')) }}
{%- endmacro -%}
