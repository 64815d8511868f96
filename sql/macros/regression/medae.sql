{#-
title: Median absolute error
formula: (weighted) median of |y − ŷ|
frame: errors
truth: number
score: number
range: 0 and up, in the unit of the label, lower is better
undefined: NULL without rows
oracle: sklearn.metrics.median_absolute_error
source: scikit-learn user guide, section 3.4.6
names: {scikit-learn: "median_absolute_error"}
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 0.5}
-#}
{#- The middle of the errors in order of size: the mean of the two values at which half of the weight is reached from
    below and from above. -#}
{%- macro medae__value(m) -%}
(min(case when 2 * reached >= total and weight > 0 then error end) + min(case when 2 * reached > total and weight > 0 then error end)) / 2
{%- endmacro -%}
