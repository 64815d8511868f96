{#-
title: Histogram of the scores by class
answers: [order, drifted]
formula: positives and negatives in equal steps of the score, from its lowest to its highest
frame: thresholds
uses: [counts]
label_type: binary
score: number
table: true
columns: [bin, lower, upper, rows, positives, negatives, share_of_positives, share_of_negatives]
order: [bin]
intervals:
  row_key: bin
  sums: {bin_positives: pos local, bin_negatives: neg local, positives: pos total, negatives: neg total}
  ratios: {share_of_positives: bin_positives / positives, share_of_negatives: bin_negatives / negatives}
scale: counts 0 and up; shares 0 to 1
undefined: a share is NULL where its class is missing; bins without rows are dropped
oracle: numpy.histogram
source: Pearson, Phil. Trans. R. Soc. A 186 (1895)
notes: A bin includes its lower edge, and the last bin also the highest score. Edge i is lowest · (bins − i) / bins + highest · i / bins. An infinite score is in the first or the last bin.
parameters:
  bins: {type: integer, default: 20, minimum: 1, doc: number of bins}
example: {label: [1, 0, 1, 0], score: [0.9, 0.8, 0.3, 0.1], call: score_histogram(bins=2), column: positives, result: [1.0, 1.0]}
-#}
{%- macro score_histogram__table(m, f, keys) -%}
select
    {{ sqlmetrics.select_list(keys + sqlmetrics.columns_of_steps(m) + [
        'pos as positives',
        'neg as negatives',
        'pos / nullif(positives, 0) as share_of_positives',
        'neg / nullif(negatives, 0) as share_of_negatives',
    ]) }}
from (
    {{ sqlmetrics.sums_of_steps(m, f, keys) | indent(4) }}
) as bins
{%- endmacro -%}

{%- macro score_histogram__cells(m, f, rows_from, keys, carried) -%}
select
    {{ sqlmetrics.select_list(keys + carried + ['pos', 'neg', 'cast(bin as bigint) + 1 as row_key']) }}
from (
    {{ sqlmetrics.scores_in_steps(m, f, rows_from, f.where, keys, carried + ['pos', 'neg']) | indent(4) }}
) as binned
{%- endmacro -%}
