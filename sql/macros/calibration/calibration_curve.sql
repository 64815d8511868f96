{#-
title: Calibration curve (reliability diagram)
answers: [calibrated]
formula: per bin of the score, the mean score and the rate of positives
frame: score_bins
uses: [score_range]
label_type: binary
score: probability
table: true
columns: [bin, lower, upper, rows, mean_score, rate, copc]
order: [bin]
scale: rates and scores 0 to 1
undefined: bins without rows are dropped; copc is NULL where the scores are all 0
intervals:
  row_key: bin
  sums: {positives: pos local, weight: pos + neg local, score_sum: (pos + neg) * score local}
  ratios: {mean_score: score_sum / weight, rate: positives / weight, copc: positives / score_sum}
  beyond_one: [copc]
oracle: sklearn.calibration.calibration_curve
source: scikit-learn user guide, section 1.16
parameters:
  bins: frame
  binning:
    default: mass
    choices: {width: 'equal steps of the score, as in `ece`', mass: 'equal weight of rows, as in `cal_n`'}
    doc: how the bins are formed
    presets: {sklearn: width}
    used_by: {width: scikit-learn}
names: {scikit-learn: "calibration_curve (there the lower bin holds an edge)"}
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.1, 0.4], column: rate, result: [0.0, 1.0]}
-#}
{%- macro calibration_curve__table(m, f, keys) -%}
select
    {{ sqlmetrics.select_list(keys) ~ ',\n    ' if keys }}cast(bin as bigint) as bin,
    {{ sqlmetrics.to_double('bin') ~ ' / ' ~ m.bins if m.binning == 'width' else 'lowest_score' }} as {{ sqlmetrics.identifier('lower') }},
    {{ sqlmetrics.to_double('bin + 1') ~ ' / ' ~ m.bins if m.binning == 'width' else 'highest_score' }} as {{ sqlmetrics.identifier('upper') }},
    {{ sqlmetrics.rows_of_table(m) }},
    {{ sqlmetrics.safe_divide('score_sum', '(pos + neg)') }} as mean_score,
    {{ sqlmetrics.safe_divide('pos', '(pos + neg)') }} as rate,
    {{ sqlmetrics.safe_divide('pos', 'score_sum') }} as copc
    {{- ',\n    lowest_score' if m.banded }}
from {{ f.cte }}
{%- endmacro -%}

{%- macro calibration_curve__cells(m, f, rows_from, keys, carried) -%}
{{ sqlmetrics.rows_in_bins(m, f, rows_from, keys, carried) }}
{%- endmacro -%}
