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
{%- set measures = ['weight', 'treated', 'control', 'treated_positives', 'control_positives'] -%}
{%- set endings = {'cumulative': '_cumulative', 'total': '_total'} -%}
{{ sqlmetrics.treated_rows(f, rows_from, keys) }}
{%- if f.ranked and points == 'all' %}
{{ sqlmetrics.gain_points_of_ranks(f, keys) }}
{%- elif points == 'all' %}
{{ sqlmetrics.treated_sums(f, f.cte, 'treated_rows' ~ f.suffix, keys, 'score', ' desc', measures, endings) }}
{%- else %}
{{ sqlmetrics.treated_bins(f, points, keys) }}
{{ sqlmetrics.treated_sums(dict(f, two_level=false), f.cte, 'treated_bins' ~ f.suffix, keys, 'bin', ' asc', measures, endings, ['score']) }}
{%- endif -%}
{%- endmacro -%}

{#- Sums per bin of equal weight, from the highest score down. -#}
{%- macro treated_bins(f, points, keys) -%}
{%- set weighed = 'weighed_scores' ~ f.suffix -%}
{%- set columns = ['treated', 'is_positive'] if f.ranked else ['weight', 'treated', 'control', 'treated_positives', 'control_positives'] -%}
{%- set sums = sqlmetrics.treated_counts() if f.ranked else {} -%}
{%- for column in columns if not f.ranked -%}{%- do sums.update({column: 'sum(' ~ column ~ ')'}) -%}{%- endfor -%}
{%- if f.ranked -%}
{{ sqlmetrics.cte(weighed, 'rows, with the number of rows with a higher score') }}
select
    {{- sqlmetrics.leading(keys + ['score', 'treated', 'is_positive']) }}
    {{ sqlmetrics.to_double('rank() ' ~ sqlmetrics.over(keys, 'score desc') ~ ' - 1') }} as weight_above
from treated_rows{{ f.suffix }}
{{ sqlmetrics.treated_totals(f, keys) }}
{%- else -%}
{{ sqlmetrics.treated_sums(f, weighed, 'treated_rows' ~ f.suffix, keys, 'score', ' desc', ['weight'], {'before': '_above', 'total': '_total'}, columns + ['row_count']) }}
{%- endif %}
{{ sqlmetrics.cte('binned_scores' ~ f.suffix, 'scores with their bin') }}
select{{ sqlmetrics.broadcast('totals') if f.ranked }}
    {{- sqlmetrics.leading(keys, 'scored') }}
    {{- sqlmetrics.leading(['score'] + columns) }}
    {{ sqlmetrics.bin_of_equal_mass(f, points, 'weight_above', 'weight_total') }} as bin
from {{ weighed }} as scored
{{- '\n' ~ sqlmetrics.join_of_treated_totals(f, keys, 'scored') if f.ranked }}
{{ sqlmetrics.cte('treated_bins' ~ f.suffix, 'one per bin of equal weight, from the highest score down') }}
select
    {{- sqlmetrics.leading(keys + ['bin']) }}
    min(score) as score
{%- for name, sum in sums.items() %},
    {{ sqlmetrics.to_double(sum) if f.ranked else sum }} as {{ name }}
{%- endfor %}
from binned_scores{{ f.suffix }}
{{- sqlmetrics.group_by(keys + ['bin']) }}
{%- endmacro -%}

{#- Aggregates of ranked rows. -#}
{%- macro treated_counts() -%}
{{ return({
    'weight': 'count(*)',
    'treated': 'sum(treated)',
    'control': 'sum(1 - treated)',
    'treated_positives': 'sum(treated * is_positive)',
    'control_positives': 'sum((1 - treated) * is_positive)',
}) }}
{%- endmacro -%}

{#- One sort, for logs with few ties. Window sums use the default frame, so the first row of a tie includes its peers. -#}
{%- macro gain_points_of_ranks(f, keys) -%}
{%- set by_score = sqlmetrics.over(keys, 'score desc') -%}
{%- set counts = sqlmetrics.treated_counts() -%}
{%- do counts.pop('control') -%}
{{ sqlmetrics.treated_totals(f, keys, counts) }}
{{ sqlmetrics.cte('treated_ranks' ~ f.suffix, 'one per row, ranked') }}
select
    {{- sqlmetrics.leading(keys + ['score']) }}
    row_number() {{ by_score }} as row_rank,
    rank() {{ by_score }} as rank_of_score,
{%- for name, count in counts.items() %}
    {{ sqlmetrics.to_double(count ~ ' ' ~ by_score) }} as {{ name }}_cumulative{{ ',' if not loop.last }}
{%- endfor %}
from treated_rows{{ f.suffix }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select{{ sqlmetrics.broadcast('totals') }}
    {{- sqlmetrics.leading(keys, 'ranked') }}
    score,
{%- for ending in ['_cumulative', '_total'] %}
{%- for name in counts %}
    {{ name ~ ending }},
{%- endfor %}
    weight{{ ending }} - treated{{ ending }} as control{{ ending }}{{ ',' if loop.first }}
{%- endfor %}
from treated_ranks{{ f.suffix }} as ranked
{{ sqlmetrics.join_of_treated_totals(f, keys, 'ranked') }}
where row_rank = rank_of_score
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
from treated_rows{{ f.suffix }}
{{- sqlmetrics.group_by(keys) if keys else '\nhaving count(*) > 0' }}
{%- endmacro -%}
