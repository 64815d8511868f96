{#-
title: field bins
rows: one per value of the field
totals: sum(weight)
stateless: its bins hold equal shares of the rows of a field value
columns: field_id, weight, cal_n (over the score bins inside the value), row_count
parameters:
  bins: {type: integer, default: 10, minimum: 1, doc: number of bins inside each value}
  binning:
    default: mass
    choices: {width: 'equal steps of the score; a bin includes its lower edge, and the last bin also 1', mass: 'equal weight of rows: bin ⌊bins · weight of the smaller scores / weight of all⌋ (within 1e-9 for fractional weights); tied scores share a bin'}
    doc: how the bins are formed
-#}

{%- macro field_bins(f, rows_from, keys) -%}
{{ sqlmetrics.score_bins(dict(f, cte='bins_of_field' ~ f.suffix, rows='one per value of the field and bin of scores', suffix='_of_field' ~ f.suffix, uses=[]), rows_from, keys + ['field_id']) }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
{{ sqlmetrics.sums_by(keys + ['field_id'], ['sum(pos + neg) as weight', sqlmetrics.calibration_n() ~ ' as cal_n'], 'bins_of_field' ~ f.suffix, row_count='sum(row_count)') }}
{%- endmacro -%}

{#- `avg` skips bins without positives or with score_sum 0: they have no quotient. -#}
{%- macro calibration_n() -%}
sqrt(avg(case
        when pos > 0 and score_sum >= pos then (score_sum / pos - 1) * (score_sum / pos - 1)
        when pos > 0 and score_sum > 0 then (pos / score_sum - 1) * (pos / score_sum - 1)
    end))
{%- endmacro -%}
