{#-
title: Histogram of the residuals
answers: [bias, error]
formula: the share of the rows in equal steps of ŷ − y, from its lowest to its highest
frame: residuals
label_type: number
score: number
table: true
columns: [bin, lower, upper, rows, share]
order: [bin]
scale: shares 0 to 1; edges in the unit of the label, above 0 where the model predicts too much
undefined: share is NULL if all weights are 0; bins without rows are dropped
oracle: numpy.histogram
source: Pearson, Phil. Trans. R. Soc. A 186 (1895)
notes: A bin includes its lower edge, and the last bin also the highest residual. Edge i is lowest · (bins − i) / bins + highest · i / bins. `share` is weighted, and `rows` counts rows.
parameters:
  bins: frame
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], call: residual_histogram(bins=3), column: share, result: [0.25, 0.25, 0.5]}
-#}
{%- macro residual_histogram__table(m, f, keys) -%}
select
    {{ sqlmetrics.select_list(keys + sqlmetrics.columns_of_steps(m) + ['weight / nullif(weight_of_all, 0) as share']) }}
from (
    {{ sqlmetrics.sums_of_steps(m, f, keys, 'residual', {'weight': 'weight_of_all'}) | indent(4) }}
) as bins
{%- endmacro -%}
