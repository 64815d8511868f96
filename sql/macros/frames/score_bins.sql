{#-
title: score bins
rows: one per bin of scores that holds a row
state: scores
slices: columns when binning=width
diagnostics: {positives: sum(pos)}
columns: bin, pos, neg, score_sum (weighted), row_count and, where a metric uses them (score_range), lowest_score and highest_score
parameters:
  bins: {type: integer, default: 10, minimum: 1, doc: number of bins}
  binning:
    default: width
    choices: {width: 'equal steps of the score; a bin includes its lower edge, and the last bin also 1', mass: 'equal weight of rows: bin ⌊bins · weight of the smaller scores / weight of all⌋ (within 1e-9 for fractional weights); tied scores share a bin'}
    doc: how the bins are formed
-#}

{%- macro score_bins(f, rows_from, keys) -%}
{%- set binned = dict(f, cte='binned_scores' ~ f.suffix) -%}
{%- set sums_of_bins = ['sum(pos) as pos', 'sum(neg) as neg', 'sum((pos + neg) * score) as score_sum']
    + (['min(score) as lowest_score', 'max(score) as highest_score'] if 'score_range' in f.uses else []) -%}
{%- if f.params.binning == 'width' -%}
{{ sqlmetrics.cte(binned.cte, 'rows with their bin') }}
{{ sqlmetrics.bins_of_equal_width(f, rows_from, keys) }}
{%- else -%}
{{ sqlmetrics.labels_in_bins(binned, f.params.bins, rows_from, keys, ' asc') }}
{%- endif %}
{{ sqlmetrics.cte(f.cte, f.rows) }}
{{ sqlmetrics.sums_by(keys + ['bin'], sums_of_bins, binned.cte, row_count='count(*)' if f.params.binning == 'width' else 'sum(row_count)') }}
{%- endmacro -%}

{#- Rows or distinct scores with their numbers of both labels, in bins of equal weight. -#}
{%- macro labels_in_bins(f, bins, rows_from, keys, direction) -%}
{%- if f.ranked -%}
{{ sqlmetrics.scores_in_bins(f, bins, rows_from, keys, direction, ['pos', '1 - pos as neg']) }}
{%- else -%}
{{ sqlmetrics.cte('scores_to_bin' ~ f.suffix, 'one per distinct score') }}
{{ sqlmetrics.distinct_scores(f, rows_from, keys) }}
{{ sqlmetrics.scores_in_bins(f, bins, 'scores_to_bin' ~ f.suffix, keys, direction, ['pos', 'neg'], 'pos + neg') }}
{%- endif -%}
{%- endmacro -%}

{#- Bins of equal weight in the order of scores: for ranked rows in one sort, else for the step with one row per distinct score. `columns`
    lists further columns to carry. Weights have their own step, because DuckDB 1.4 allows no window inside nullif. Row counts have another:
    a window over all rows takes a quarter of the time of the sort. -#}
{%- macro scores_in_bins(f, bins, from, keys, direction, columns, weight='') -%}
{%- set sums = {'weight_before': ['weight', 'before'], 'weight_of_all': ['weight', 'total']} -%}
{%- if f.ranked -%}
{{ sqlmetrics.cte('scores_with_weights' ~ f.suffix, 'one per row, with the weight before it') }}
select
    {{- sqlmetrics.leading(keys + ['score'] + columns) }}
    1 as row_count,
    {{ sqlmetrics.to_double('rank() ' ~ sqlmetrics.over(keys, 'score' ~ direction) ~ ' - 1') }} as weight_before
from {{ from }}
{{- f.where }}
{{ sqlmetrics.cte('rows_to_bin' ~ f.suffix, 'one per slice') }}
select
    {{- sqlmetrics.leading(keys) }}
    {{ sqlmetrics.to_double('count(*)') }} as weight_of_all
from {{ from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys) }}
{%- else -%}
{{ sqlmetrics.sums_in_order(f, 'scores_with_weights' ~ f.suffix, 'one per distinct score, with the weight before it', from, keys, 'score', direction, ['score'] + columns + ['row_count'], sums, {'weight': weight}) }}
{%- endif %}
{{ sqlmetrics.cte(f.cte, 'scores with their bin') }}
select{{ sqlmetrics.broadcast('counted') if f.ranked }}
    scored.*,
    {{ sqlmetrics.bin_of_equal_mass(f, bins, 'weight_before', 'weight_of_all') }} as bin
from scores_with_weights{{ f.suffix }} as scored
{%- if f.ranked %}
inner join rows_to_bin{{ f.suffix }} as counted{{ sqlmetrics.on('scored', 'counted', keys) }}
{%- endif -%}
{%- endmacro -%}

{#- The largest j with j / bins <= score. floor(score * bins) alone misses it if the product is rounded (0.29 * 100 is 28.999…), so its
    neighbours are compared with the exact edges. -#}
{%- macro bins_of_equal_width(f, rows_from, keys, carried=[]) -%}
{%- set bins = f.params.bins -%}
select
    {{- sqlmetrics.leading(keys + carried + ['score', 'pos', 'neg']) }}
    case
        when score >= 1 then {{ bins - 1 }}
        when (candidate + 1) / {{ bins }} <= score then candidate + 1
        when candidate / {{ bins }} > score then candidate - 1
        else candidate
    end as bin
from (
    select
        {{- sqlmetrics.leading(keys + carried + ['score', 'pos', 'neg'], depth=2) }}
        floor(score * {{ bins }}) as candidate
    from {{ rows_from }}
{{- sqlmetrics.indented(f.where) }}
) as candidates
{%- endmacro -%}

{#- The bin for a cumulative weight. Rounding of fractional sums depends on the order of rows, and shares such as one half are bin edges.
    So 1e-9 is added to the share before it is rounded down. Without any weight, all rows are in the first bin. -#}
{%- macro bin_of_equal_mass(f, bins, weight_before, weight_of_all) -%}
{%- if f.weighted -%}
least(floor({{ bins }} * (coalesce({{ weight_before }} / nullif({{ weight_of_all }}, 0), 0) + 1e-9)), {{ bins - 1 }})
{%- else -%}
least(floor({{ bins }} * {{ weight_before }} / nullif({{ weight_of_all }}, 0)), {{ bins - 1 }})
{%- endif -%}
{%- endmacro -%}

{%- macro rows_in_bins(m, f, rows_from, keys, carried) -%}
{%- if f.params.binning == 'width' -%}
select
    {{ sqlmetrics.select_list(keys + carried + ['score', 'pos', 'neg', 'cast(bin as bigint) as row_key']) }}
from (
    {{ sqlmetrics.indented(sqlmetrics.bins_of_equal_width(f, rows_from, keys, carried)) }}
) as binned
{%- else -%}
{{ sqlmetrics.rows_keyed_by_score(m, f, rows_from, keys, carried) }}
{%- endif -%}
{%- endmacro -%}
