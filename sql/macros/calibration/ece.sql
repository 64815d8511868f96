{#-
title: Expected calibration error
answers: [calibrated]
formula: Σ (weight of the bin / weight of all)·|rate − mean score|; l2 takes the root of the mean square, max the largest
frame: score_bins
label_type: binary
score: probability
lower: 0
upper: 1
better: lower
undefined: NULL without rows
oracle: by hand
source: Naeini et al., AAAI 2015
parameters:
  norm:
    default: l1
    choices: {l1: mean over the rows, l2: root mean square over the rows, max: the worst bin}
    doc: how the bins are combined
  bins: frame
  binning: frame
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.1, 0.4], result: 0.35}
-#}
{%- macro ece__value(m) -%}
{%- if m.norm == 'l1' -%}
{{ sqlmetrics.safe_divide('sum(abs(pos - score_sum))', 'sum(pos + neg)') }}
{%- elif m.norm == 'l2' -%}
sqrt({{ sqlmetrics.safe_divide('sum((pos + neg) * ' ~ sqlmetrics.square('((pos - score_sum) / nullif(pos + neg, 0))') ~ ')', 'sum(pos + neg)') }})
{%- else -%}
max(abs(pos - score_sum) / nullif(pos + neg, 0))
{%- endif -%}
{%- endmacro -%}

{#- Bins and the signs of their errors are fixed; for l2, also the derivative of the square. -#}
{%- macro ece__at_fixed_ranks(m) -%}
{%- set off = '(pos - (pos + neg) * score)' -%}
{%- set all = sqlmetrics.sum_of(m, 'pos + neg') -%}
{%- if m.norm == 'l1' -%}
{{ sqlmetrics.sum_of(m, 'direction * ' ~ off) }} / nullif({{ all }}, 0)
{%- elif m.norm == 'l2' -%}
sqrt(greatest({{ sqlmetrics.sum_of(m, 'bin_gap * (2 * ' ~ off ~ ' - bin_gap * (pos + neg))') }} / nullif({{ all }}, 0), 0))
{%- else -%}
{{ sqlmetrics.sum_of(m, 'is_worst * direction * ' ~ off) }} / nullif({{ sqlmetrics.sum_of(m, 'is_worst * (pos + neg)') }}, 0)
{%- endif -%}
{%- endmacro -%}
