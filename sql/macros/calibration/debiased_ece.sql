{#-
title: Debiased expected calibration error
answers: [calibrated]
formula: √max(0, Σ (rows of the bin / all rows)·((rate − mean score)² − rate·(1 − rate) / (rows of the bin − 1)))
frame: score_bins
label_type: binary
score: probability
no_weight: the variance of the rate of a bin depends on the number of its rows, which weights do not give
lower: 0
upper: 1
better: lower
undefined: NULL without rows
oracle: numpy
source: Kumar, Liang and Ma, NeurIPS 2019 (arXiv 1909.10155)
no_interval: 'it is 0 for a nearly calibrated model, whichever rows are dropped: intervals at 95% covered 69%'
notes: Also called debiased L2 calibration error. Rates of small bins deviate from their expectation by chance, which `ece(norm='l2')` counts as miscalibration. This metric subtracts the variance of each rate from the square. 0 means that these rows do not distinguish the model from a calibrated one. A bin of one row counts as 0.
rules:
- {column: positives, keeps: positives = floor(positives), message: is not a whole number (debiased_ece counts rows)}
- {column: total, keeps: total = floor(total), message: is not a whole number (debiased_ece counts rows)}
parameters:
  bins: frame
  binning: frame
example: {label: [0, 0, 0, 1, 1, 1, 1, 1], score: [0.1, 0.1, 0.1, 0.1, 0.6, 0.6, 0.6, 0.6], call: debiased_ece(bins=2), result: 0.2449}
-#}
{%- macro debiased_ece__value(m) -%}
sqrt({{ sqlmetrics.safe_divide("greatest(sum(case when pos + neg >= 2\n        then (" ~ sqlmetrics.square('(pos - score_sum)') ~ "\n            - pos * neg / nullif(pos + neg - 1, 0)) / nullif(pos + neg, 0) else 0 end), 0)", 'sum(pos + neg)') }})
{%- endmacro -%}
