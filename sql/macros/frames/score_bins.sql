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
{%- set binned = 'binned_scores' ~ f.suffix -%}
{%- if f.params.binning == 'width' -%}
{{ sqlmetrics.cte(binned, 'rows with their bin') }}
{{ sqlmetrics.bins_of_equal_width(f, rows_from, keys) }}
{%- else -%}
{{ sqlmetrics.scores_in_bins(dict(f, cte=binned), f.params.bins, rows_from, keys, ' asc') }}
{%- endif -%}
{%- set sums_of_bins = ['sum(pos) as pos', 'sum(neg) as neg', 'sum((pos + neg) * score) as score_sum']
    + (['min(score) as lowest_score', 'max(score) as highest_score'] if 'score_range' in f.uses else []) -%}
{{ sqlmetrics.cte(f.cte, f.rows) }}
{{ sqlmetrics.sums_by(keys + ['bin'], sums_of_bins, binned, row_count='count(*)' if f.params.binning == 'width' else 'sum(row_count)') }}
{%- endmacro -%}

{#- Bins of equal weight in the order of scores: for ranked rows in one sort, else for distinct scores. `sums` maps names to the values of
    a numeric label to sum; ranked rows carry the label instead. Weights have their own step, because DuckDB 1.4 allows no window inside
    nullif. Row counts have another: a window over all rows takes a quarter of the time of the sort. -#}
{%- macro scores_in_bins(f, bins, rows_from, keys, direction, sums={}) -%}
{%- set distinct = 'scores_to_bin' ~ f.suffix -%}
{%- set weighed = dict(f, cte='scores_with_weights' ~ f.suffix, rows='one per ' ~ ('row' if f.ranked else 'distinct score') ~ ', with the weight before it') -%}
{%- set columns = ['score', 'pos', 'neg', 'row_count'] if not sums else ['score', 'label'] if f.ranked else ['score', 'weight'] + sums | list + ['row_count'] -%}
{%- set sums_of_weights = [{'measure': 'weight', 'scope': 'before', 'as': 'weight_before'}, {'measure': 'weight', 'scope': 'total', 'as': 'weight_of_all'}] -%}
{%- set counted = 'rows_to_bin' ~ f.suffix -%}
{%- if f.ranked -%}
{{ sqlmetrics.cte(weighed.cte, weighed.rows) }}
select
    {{- sqlmetrics.leading(keys + ['score']) }}
    {{- sqlmetrics.leading(['label'] if sums else ['pos', '1 - pos as neg', '1 as row_count']) }}
    {{ sqlmetrics.to_double('rank() ' ~ sqlmetrics.over(keys, 'score' ~ direction) ~ ' - 1') }} as weight_before
from {{ rows_from }}
{{- f.where }}
{{ sqlmetrics.cte(counted, 'one per slice') }}
select
    {{- sqlmetrics.leading(keys) }}
    {{ sqlmetrics.to_double('count(*)') }} as weight_of_all
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys) }}
{%- else -%}
{{ sqlmetrics.cte(distinct, 'one per distinct score') }}
{{ sqlmetrics.sums_of_scores(sums, rows_from, f.where, keys) if sums else sqlmetrics.distinct_scores(f, rows_from, keys) }}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(weighed, distinct, keys, 'score', direction, columns, {'weight': 'weight' if sums else 'pos + neg'}, sums_of_weights)) }}
{%- endif %}
{{ sqlmetrics.cte(f.cte, 'scores with their bin') }}
select{{ sqlmetrics.broadcast('counted') if f.ranked }}
    {{- sqlmetrics.leading(keys, 'scored') }}
    {{- sqlmetrics.leading(columns) }}
    {{ sqlmetrics.bin_of_equal_mass(f, bins, 'weight_before', 'weight_of_all') }} as bin
from {{ weighed.cte }} as scored
{%- if f.ranked %}
inner join {{ counted }} as counted{{ sqlmetrics.on('scored', 'counted', keys) }}
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
