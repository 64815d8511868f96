{#-
title: Errors by size of the prediction
answers: [bias, error]
formula: per bin of equal weight of ŷ, the mean ŷ next to the mean y, the mean of ŷ − y, the mean |y − ŷ| and √ mean (y − ŷ)²
frame: error_bins
label_type: number
score: number
table: true
columns: [bin, lower, upper, rows, mean_score, mean_label, mean_error, mae, rmse]
order: [bin]
scale: in the unit of the label; a mean_error above 0 is a prediction that is too high
undefined: bins without rows are dropped; the means of a bin without weight are NULL
intervals:
  row_key: bin
  sums: {weight: weight local, label_sum: weight * label local, error_sum: weight * (score - label) local, absolute_error_sum: weight * abs(score - label) local}
  ratios: {mean_label: label_sum / weight, mean_error: error_sum / weight, mae: absolute_error_sum / weight}
  beyond_one: [mean_label, mean_error, mae]
  below_zero: [mean_label, mean_error]
oracle: scikit-learn, bin by bin
source: Gneiting and Resin, Electronic Journal of Statistics 17 (2023)
notes: A score's bin is ⌊bins · weight of the smaller scores / weight of all⌋ + 1 (within 1e-9 for fractional weights). `lower` and `upper` are its lowest and highest score. `rows` counts rows; the means are weighted.
parameters:
  bins: frame
example: {label: [1.0, 3.0, 4.0, 9.0], score: [1.0, 2.0, 5.0, 7.0], call: error_table(bins=2), column: mean_error, result: [-0.5, -0.5]}
-#}
{%- macro error_table__table(m, f, keys) -%}
select
    {{- sqlmetrics.leading(keys) }}
    cast(bin as bigint) + 1 as bin,
    lowest_score as {{ sqlmetrics.identifier('lower') }},
    highest_score as {{ sqlmetrics.identifier('upper') }},
    {{ sqlmetrics.rows_of_table(m) }},
    score_sum / nullif(weight, 0) as mean_score,
    label_sum / nullif(weight, 0) as mean_label,
    error_sum / nullif(weight, 0) as mean_error,
    absolute_error_sum / nullif(weight, 0) as mae,
    sqrt(squared_error_sum / nullif(weight, 0)) as rmse
    {{- ',\n    lowest_score' if m.banded }}
from {{ f.cte }}
{%- endmacro -%}

{%- macro error_table__cells(m, f, rows_from, keys, carried) -%}
{{ sqlmetrics.rows_keyed_by_score(m, f, rows_from, keys, carried, ['label', 'weight']) }}
{%- endmacro -%}
