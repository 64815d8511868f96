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
    choices: {width: 'equal steps of the score; a bin holds its lower edge, the last one also 1', mass: 'equal weight of rows: bin ⌊bins · weight of the smaller scores / weight of all⌋, where a share of fractional weights up to 1e-9 below a cut is at the cut; tied scores share a bin'}
    doc: how the bins are cut
-#}

{%- macro score_bins(f, rows_from, keys) -%}
{%- set binned = 'binned_scores' ~ f.suffix -%}
{%- set score_bins -%}
select
    {{ sqlmetrics.lines(keys + [
        'bin',
        'sum(pos) as pos',
        'sum(neg) as neg',
        'sum((pos + neg) * score) as score_sum',
    ] + (['min(score) as lowest_score', 'max(score) as highest_score'] if 'score_range' in f.uses else [])) }},
    {{ 'count(*)' if f.params.binning == 'width' else 'sum(row_count)' }} as row_count
from {{ binned }}
{{- sqlmetrics.group_by(keys + ['bin']) }}
{%- endset -%}
{%- set bins = sqlmetrics.step(f.cte, score_bins, f.rows) -%}
{%- if f.params.binning == 'width' -%}
{{ return([sqlmetrics.step(binned, sqlmetrics.bins_of_equal_width(f, rows_from, keys), 'the bin of every row'), bins]) }}
{%- endif -%}
{%- set distinct = 'scores_to_bin' ~ f.suffix -%}
{%- set weighed = 'scores_with_weights' ~ f.suffix -%}
{%- set sums = [{'measure': 'weight', 'reach': 'before', 'as': 'weight_below'}, {'measure': 'weight', 'reach': 'all', 'as': 'weight_of_all'}] -%}
{{ return(
    [sqlmetrics.step(distinct, sqlmetrics.distinct_scores(f, rows_from, keys), 'one per distinct score')]
    + sqlmetrics.running_sums(dict(f, cte=weighed, rows='one per distinct score, with the weight below it'), distinct, keys, 'score', ' asc', ['score', 'pos', 'neg', 'row_count'], {'weight': 'pos + neg'}, sums)
    + [sqlmetrics.step(binned, sqlmetrics.bins_of_equal_mass(f, weighed, keys), 'the bin of every distinct score'), bins]
) }}
{%- endmacro -%}

{#- The largest j with j / bins <= score. floor(score * bins) alone misses it where the product is rounded
    (0.29 * 100 is 28.999…), so its neighbours are tried against the edges themselves. -#}
{%- macro bins_of_equal_width(f, rows_from, keys, carried=[]) -%}
{%- set bins = f.params.bins -%}
select
    {{ sqlmetrics.lines(keys + carried + ['score', 'pos', 'neg']) }},
    case
        when score >= 1 then {{ bins - 1 }}
        when (candidate + 1) / {{ bins }} <= score then candidate + 1
        when candidate / {{ bins }} > score then candidate - 1
        else candidate
    end as bin
from (
    select
        {{ (keys + carried + ['score', 'pos', 'neg']) | join(',\n        ') }},
        floor(score * {{ bins }}) as candidate
    from {{ rows_from }}
{{- sqlmetrics.indented(f.where) }}
) as candidates
{%- endmacro -%}

{#- The bin of what has this much weight before it. Counts are exact. Sums of fractional weights end in bits that hang on the
    order of the rows, the threads and the scale of the weights, while a natural share such as a half lies on a cut: so the
    share is moved by far more than those bits, and by far less than matters, before it is rounded down. -#}
{%- macro bin_of_equal_mass(f, bins, weight_before, weight_of_all) -%}
{%- if f.weighted -%}
least(floor({{ bins }} * ({{ weight_before }} / nullif({{ weight_of_all }}, 0) + 1e-9)), {{ bins - 1 }})
{%- else -%}
least(floor({{ bins }} * {{ weight_before }} / nullif({{ weight_of_all }}, 0)), {{ bins - 1 }})
{%- endif -%}
{%- endmacro -%}

{#- Of each row of the log, its bin. -#}
{%- macro rows_in_bins(m, f, rows_from, keys, carried) -%}
{%- if f.params.binning == 'width' -%}
select
    {{ sqlmetrics.lines(keys + carried + ['score', 'pos', 'neg', 'cast(bin as bigint) as mark']) }}
from (
    {{ sqlmetrics.indented(sqlmetrics.bins_of_equal_width(f, rows_from, keys, carried)) }}
) as binned
{%- else -%}
{{ sqlmetrics.rows_marked_by_score(m, f, rows_from, keys, carried) }}
{%- endif -%}
{%- endmacro -%}

{#- The running sums have a step of their own because DuckDB 1.4 takes no window inside nullif. -#}
{%- macro bins_of_equal_mass(f, weighed, keys) -%}
select
    {{ sqlmetrics.lines(keys + ['score', 'pos', 'neg', 'row_count']) }},
    {{ sqlmetrics.bin_of_equal_mass(f, f.params.bins, 'coalesce(weight_below, 0)', 'weight_of_all') }} as bin
from {{ weighed }}
{%- endmacro -%}
