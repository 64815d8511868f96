{#-
title: Median absolute error
answers: [error]
formula: (weighted) median of |y − ŷ|
frame: errors
label_type: number
score: number
lower: 0
better: lower
scale: in the unit of the label
undefined: NULL without rows
oracle: sklearn.metrics.median_absolute_error
source: scikit-learn user guide, section 3.4.6
notes: Fractional weights within 1e-9 of half count as half.
names: {scikit-learn: "median_absolute_error"}
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 0.5}
-#}
{#- The median: the mean of the two errors at which half of the weight is reached from below and from above. The tolerance makes it
    independent of rounding errors in sums of fractional weights. -#}
{%- macro medae__value(m) -%}
{%- set least = 'reached >= (0.5 - 1e-9) * total' if 'weight' in m.requires else '2 * reached >= total' -%}
{%- set more = 'reached > (0.5 + 1e-9) * total' if 'weight' in m.requires else '2 * reached > total' -%}
(
    min(case when {{ least }} and weight > 0 then error end)
    + min(case when {{ more }} and weight > 0 then error end)
) / 2
{%- endmacro -%}
