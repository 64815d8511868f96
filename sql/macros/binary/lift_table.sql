{#-
title: Lift and gain table
answers: [top_share]
formula: bins of equal weight by descending score; the rate of positives in each beside the rate of all
frame: thresholds
uses: [totals, above]
truth: binary
score: number
table: true
columns: [bin, rows, positives, rate, gain, lift, cumulative_lift]
order: [bin]
scale: rates and gain 0 to 1; lift 0 and up, 1 is chance
undefined: gain and lift are NULL without positives; bins without rows are left out
oracle: by hand
intervals:
  mark: bin
  sums: {in_bin: pos own, weight_of_bin: pos + neg own, gained: pos here, reached: pos + neg here, positives: pos all, total: pos + neg all}
  ratios: {rate: in_bin / weight_of_bin, gain: gained / positives, lift: in_bin * total / weight_of_bin * positives, cumulative_lift: gained * total / reached * positives}
  beyond_one: [lift, cumulative_lift]
source: Berry and Linoff, Data Mining Techniques, 2004
notes: A score's bin is ⌊bins · weight of the higher scores / weight of all⌋ + 1, where a share of fractional weights up to 1e-9 below a cut is at the cut. `rows` counts the rows of the data, and `positives` are weighted; of pre-aggregated rows both count what is behind them.
parameters:
  bins: {type: integer, default: 10, minimum: 1, doc: number of bins; tied scores share one}
example: {label: [1, 0, 1, 0], score: [0.9, 0.8, 0.3, 0.1], call: lift_table(bins=2), column: lift, result: [1.0, 1.0]}
-#}
{%- macro lift_table__table(m, f, keys) -%}
select
    {{ sqlmetrics.select_list(keys + [
        'cast(bin as bigint) as bin',
    ] + (['lowest_score'] if m.banded else []) + [
        sqlmetrics.rows_of_table(m, 'weight'),
        'pos as positives',
        'pos / nullif(weight, 0) as rate',
        'gained / nullif(positives, 0) as gain',
        '(pos / nullif(weight, 0)) / nullif(positives / nullif(total, 0), 0) as lift',
        '(gained / nullif(reached, 0)) / nullif(positives / nullif(total, 0), 0) as cumulative_lift',
    ]) }}
from (
    select
        {{ (keys + [
            'bin',
            'sum(row_count) as row_count',
            'sum(pos) as pos',
            'sum(pos + neg) as weight',
            'max(true_positives) as gained',
            'max(true_positives + false_positives) as reached',
            'max(positives) as positives',
            'max(positives + negatives) as total',
        ] + (['min(score) as lowest_score'] if m.banded else [])) | join(',\n        ') }}
    from (
        select
            {{- sqlmetrics.leading(keys + ['row_count', 'pos', 'neg', 'true_positives', 'false_positives', 'positives', 'negatives'] + (['score'] if m.banded else []), depth=3) }}
            {{ sqlmetrics.bin_of_equal_mass(f, m.bins, '(true_positives_above + false_positives_above)', 'positives + negatives') }} + 1 as bin
        from {{ f.cte }}
    ) as binned
    {{ sqlmetrics.group_by(keys + ['bin']) | trim | indent(4) }}
) as bins
{%- endmacro -%}

{%- macro lift_table__cells(m, f, rows_from, keys, carried) -%}
{{ sqlmetrics.rows_marked_by_score(m, f, rows_from, keys, carried) }}
{%- endmacro -%}
