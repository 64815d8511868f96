{#-
title: error bins
rows: one per bin of equal weight of the scores
stateless: its bins hold equal shares of all rows
columns: bin, lowest_score, highest_score, weight and row_count, and the weighted sums score_sum, label_sum, error_sum (of score − label), absolute_error_sum and squared_error_sum
parameters:
  bins: {type: integer, default: 10, minimum: 1, doc: number of bins; tied scores share one}
-#}

{%- macro error_bins(f, rows_from, keys) -%}
{%- set binned = 'binned_scores' ~ f.suffix -%}
{%- set sums = {
    'label_sum': 'label',
    'error_sum': '(score - label)',
    'absolute_error_sum': 'abs(score - label)',
    'squared_error_sum': sqlmetrics.square('(score - label)'),
} -%}
{%- set sums_of_bins = ['min(score) as lowest_score', 'max(score) as highest_score']
    + ([sqlmetrics.to_double('count(*)') ~ ' as weight', 'sum(score) as score_sum'] if f.ranked
       else ['sum(weight) as weight', 'sum(weight * score) as score_sum']) -%}
{%- for name, value in sums.items() -%}{%- do sums_of_bins.append('sum(' ~ (value if f.ranked else name) ~ ') as ' ~ name) -%}{%- endfor -%}
{{ sqlmetrics.scores_in_bins(dict(f, cte=binned), f.params.bins, rows_from, keys, ' asc', sums) }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
{{ sqlmetrics.sums_by(keys + ['bin'], sums_of_bins, binned, row_count='count(*)' if f.ranked else 'sum(row_count)') }}
{%- endmacro -%}

{#- Weighted sums per distinct score. -#}
{%- macro sums_of_scores(sums, rows_from, where, keys) -%}
{%- set items = ['sum(weight) as weight'] -%}
{%- for name, value in sums.items() -%}{%- do items.append('sum(weight * ' ~ value ~ ') as ' ~ name) -%}{%- endfor -%}
{{ sqlmetrics.sums_by(keys + ['score'], items, rows_from, where) }}
{%- endmacro -%}
