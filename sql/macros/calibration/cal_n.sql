{#-
title: Calibration-N
answers: [calibrated]
formula: √ mean over bins of e², e = PCOC − 1 where PCOC ≥ 1, else 1/PCOC − 1
frame: score_bins
label_type: binary
score: probability
lower: 0
better: lower
undefined: NULL when no bin has both positives and predictions
oracle: by hand
source: Deng et al., ECML-PKDD 2020
notes: Bins without positives or without predictions are dropped; diagnostics counts them.
parameters:
  bins: frame
  binning: {default: mass, choices: {width: 'equal steps of the score; a bin includes its lower edge, and the last bin also 1', mass: 'equal weight of rows: bin ⌊bins · weight of the smaller scores / weight of all⌋ (within 1e-9 for fractional weights); tied scores share a bin'}, doc: how the bins are formed}
example: {label: [0, 1, 0, 1], score: [0.25, 0.25, 0.5, 0.5], call: cal_n(bins=2), result: 0.7071}
-#}
{%- macro cal_n__value(m) -%}
{{ sqlmetrics.calibration_n() }}
{%- endmacro -%}
