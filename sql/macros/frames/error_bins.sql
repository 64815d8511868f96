{#-
title: error bins
rows: one per bin of equal weight of the scores
stateless: its bins hold equal shares of all rows
columns: bin, lowest_score, highest_score, weight and row_count, and the weighted sums score_sum, label_sum, error_sum (of score − label), absolute_error_sum and squared_error_sum
parameters:
  bins: {type: integer, default: 10, minimum: 1, doc: number of bins; tied scores share one}
-#}

{%- macro error_bins(f, rows_from, keys) -%}
{%- set binned = dict(f, cte='binned_scores' ~ f.suffix) -%}
{%- set sums = {
    'score_sum': 'score',
    'label_sum': 'label',
    'error_sum': '(score - label)',
    'absolute_error_sum': 'abs(score - label)',
    'squared_error_sum': sqlmetrics.square('(score - label)'),
} -%}
{%- set sums_of_scores = ['sum(weight) as weight'] -%}
{%- set sums_of_bins = ['min(score) as lowest_score', 'max(score) as highest_score', (sqlmetrics.to_double('count(*)') if f.ranked else 'sum(weight)') ~ ' as weight'] -%}
{%- for name, value in sums.items() -%}
{%- do sums_of_scores.append('sum(weight * ' ~ value ~ ') as ' ~ name) -%}
{%- do sums_of_bins.append('sum(' ~ (value if f.ranked else name) ~ ') as ' ~ name) -%}
{%- endfor -%}
{%- if f.ranked -%}
{{ sqlmetrics.scores_in_bins(binned, f.params.bins, rows_from, keys, ' asc', ['label']) }}
{%- else -%}
{{ sqlmetrics.cte('scores_to_bin' ~ f.suffix, 'one per distinct score') }}
{{ sqlmetrics.sums_by(keys + ['score'], sums_of_scores, rows_from, f.where) }}
{{ sqlmetrics.scores_in_bins(binned, f.params.bins, 'scores_to_bin' ~ f.suffix, keys, ' asc', ['weight'] + sums | list, 'weight') }}
{%- endif %}
{{ sqlmetrics.cte(f.cte, f.rows) }}
{{ sqlmetrics.sums_by(keys + ['bin'], sums_of_bins, binned.cte, row_count='sum(row_count)') }}
{%- endmacro -%}
