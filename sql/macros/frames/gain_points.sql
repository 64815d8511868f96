{#-
title: gain points
rows: one per distinct score, or bin of scores, with the sums of either arm down to it
columns: score (the lowest of a bin) and the weights of all rows, of either arm and of its responses at this score or above (weight_cumulative, treated_cumulative, control_cumulative, treated_positives_cumulative, control_positives_cumulative) and in all (weight_total, …)
metric_parameters:
  points:
    type: integer
    default: 200
    minimum: 1
    choices: {all: every distinct score}
    doc: 'the maximum number of thresholds below the first: the lowest score of each bin ⌊points · weight of the higher scores / weight of all⌋ (within 1e-9 for fractional weights)'
    used_by: {all: scikit-uplift}
-#}

{%- macro gain_points(f, rows_from, keys) -%}
{%- set points = f.metrics[0].points -%}
{%- set binned = dict(f, cte='binned_scores' ~ f.suffix, where='') -%}
{%- set measures = ['weight', 'treated', 'control', 'treated_positives', 'control_positives'] -%}
{%- set endings = {'cumulative': '_cumulative', 'total': '_total'} -%}
{{ sqlmetrics.treated_rows(f, rows_from, keys, materialized=true) }}
{%- if points != 'all' %}
{{ sqlmetrics.scores_in_bins(binned, points, f.cte ~ '_rows', keys, ' desc', ['treated', 'is_positive'] if f.ranked else measures, 'weight') }}
{{ sqlmetrics.cte('treated_bins' ~ f.suffix, 'one per bin of equal weight, from the highest score down') }}
select
    {{- sqlmetrics.leading(keys + ['bin']) }}
    min(score) as score
{%- for measure in measures %},
    {{ sqlmetrics.to_double(sqlmetrics.treated_counts()[measure]) if f.ranked else 'sum(' ~ measure ~ ')' }} as {{ measure }}
{%- endfor %}
from {{ binned.cte }}
{{- sqlmetrics.group_by(keys + ['bin']) }}
{{ sqlmetrics.treated_sums(dict(f, two_level=false), f.cte, 'treated_bins' ~ f.suffix, keys, 'bin', ' asc', measures, endings, ['score']) }}
{%- elif f.ranked %}
{#- One sort, for logs with few ties. Window sums use the default frame, so the first row of a tie includes its peers. #}
{%- set by_score = sqlmetrics.over(keys, 'score desc') -%}
{%- set counts = sqlmetrics.treated_counts() -%}
{%- do counts.pop('control') -%}
{{ sqlmetrics.cte('treated_ranks' ~ f.suffix, 'one per row, ranked') }}
select
    {{- sqlmetrics.leading(keys + ['score']) }}
{%- for name, count in counts.items() %}
    {{ sqlmetrics.to_double(count ~ ' ' ~ by_score) }} as {{ name }}_cumulative,
    {{ sqlmetrics.to_double(count ~ ' ' ~ sqlmetrics.over_all_rows(keys, 'score desc')) }} as {{ name }}_total,
{%- endfor %}
    row_number() {{ by_score }} as row_rank,
    rank() {{ by_score }} as rank_of_score
from {{ f.cte }}_rows
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    *,
    weight_cumulative - treated_cumulative as control_cumulative,
    weight_total - treated_total as control_total
from treated_ranks{{ f.suffix }}
where row_rank = rank_of_score
{%- else %}
{{ sqlmetrics.treated_sums(f, f.cte, f.cte ~ '_rows', keys, 'score', ' desc', measures, endings) }}
{%- endif -%}
{%- endmacro -%}

{%- macro treated_counts() -%}
{{ return({
    'weight': 'count(*)',
    'treated': 'sum(treated)',
    'control': 'sum(1 - treated)',
    'treated_positives': 'sum(treated * is_positive)',
    'control_positives': 'sum((1 - treated) * is_positive)',
}) }}
{%- endmacro -%}

{#- Points of the gain curve, by weight; the first targets nobody. -#}
{%- macro gain_rows(gain, random_gain, f, keys) -%}
select
    {{ sqlmetrics.select_list(keys + ['score as threshold', 'weight_cumulative as targeted']) }},
    {{ gain }} as incremental_gain,
    {{ random_gain }} as random_gain
from {{ f.cte }}
union all
select
    {{ sqlmetrics.select_list(keys + [sqlmetrics.infinity() ~ ' as threshold'] + sqlmetrics.for_each(['targeted', 'incremental_gain', 'random_gain'], sqlmetrics.to_double('0') ~ ' as {0}')) }}
from {{ f.cte }}_rows
{{- sqlmetrics.group_by(keys) if keys else '\nhaving count(*) > 0' }}
{%- endmacro -%}
