{#-
title: Lift and gain table
answers: [top_share]
formula: bins of equal weight by descending score; the rate of positives in each and the rate of all
frame: thresholds
uses: [totals, points]
label_type: binary
score: number
table: true
columns: [bin, rows, positives, rate, gain, lift, cumulative_lift]
order: [bin]
scale: rates and gain 0 to 1; lift 0 and up, 1 is chance
undefined: gain and lift are NULL without positives; bins without rows are dropped
oracle: by hand
intervals:
  row_key: bin
  sums: {in_bin: pos local, weight_of_bin: pos + neg local, gained: pos cumulative, reached: pos + neg cumulative, positives: pos total, total: pos + neg total}
  ratios: {rate: in_bin / weight_of_bin, gain: gained / positives, lift: in_bin * total / weight_of_bin * positives, cumulative_lift: gained * total / reached * positives}
  beyond_one: [lift, cumulative_lift]
source: Berry and Linoff, Data Mining Techniques, 2004
notes: A score's bin is ⌊bins · weight of the higher scores / weight of all⌋ + 1 (within 1e-9 for fractional weights). `rows` counts the rows of the data, and `positives` are weighted; for pre-aggregated rows both count the original rows.
parameters:
  bins: {type: integer, default: 10, minimum: 1, doc: number of bins; tied scores share one}
example: {label: [1, 0, 1, 0], score: [0.9, 0.8, 0.3, 0.1], call: lift_table(bins=2), column: lift, result: [1.0, 1.0]}
-#}
{%- macro lift_table__table(m, f, keys) -%}
select
    {{- sqlmetrics.leading(keys) }}
    cast(bin + 1 as bigint) as bin,
    {{- '\n    score as lowest_score,' if m.banded }}
    {{ sqlmetrics.rows_of_table(m) }},
    pos as positives,
    pos / nullif(pos + neg, 0) as rate,
    true_positives / nullif(positives, 0) as gain,
    (pos / nullif(pos + neg, 0)) / nullif(positives / nullif(positives + negatives, 0), 0) as lift,
    (true_positives / nullif(true_positives + false_positives, 0)) / nullif(positives / nullif(positives + negatives, 0), 0) as cumulative_lift
from {{ f.cte }}
{%- endmacro -%}

{%- macro lift_table__cells(m, f, rows_from, keys, carried) -%}
{{ sqlmetrics.rows_keyed_by_score(m, f, rows_from, keys, carried) }}
{%- endmacro -%}
