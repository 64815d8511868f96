{#- Values at the fixed rank of each row, for metrics with a macro `at_fixed_ranks`. -#}

{#- Gap of each bin: the rate of positives minus the mean score. Gaps within rounding count as 0, and gaps that are equal within
    rounding as ties, so that engines agree. -#}
{%- macro gaps_of_fixed_bins(f, name, slicing, carried) -%}
{%- set keys = slicing['keys'] -%}
{{ sqlmetrics.cte(f.cte ~ '_gaps', 'one per bin') }}
select
    {{ sqlmetrics.select_list(keys + ['bin', 'bin_gap']) }},
    case when bin_gap > 1e-12 then 1 when bin_gap < -1e-12 then -1 else 0 end as direction,
    case
        when row_number() {{ sqlmetrics.over(keys, 'coalesce(floor(abs(bin_gap) * 1e12 + 0.5), -1) desc, bin asc') }} = 1 then 1
        else 0
    end as is_worst
from (
    select
        {{ (keys + ['bin', '(pos - score_sum) / nullif(pos + neg, 0) as bin_gap']) | join(',\n        ') }}
    from {{ f.cte }}
) as bins
{{ sqlmetrics.cte(name, 'rows with the gap of their bin') }}
select{{ sqlmetrics.broadcast('gaps') }}
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('binned', keys + carried + ['pos', 'neg', 'score']) + sqlmetrics.keys_of('gaps', ['bin_gap', 'direction', 'is_worst'])) }}
from (
    {{ sqlmetrics.indented(sqlmetrics.bins_of_equal_width(f, slicing.rows_from, keys, carried)) }}
) as binned
inner join {{ f.cte }}_gaps as gaps{{ sqlmetrics.on('binned', 'gaps', keys, ['binned.bin = gaps.bin']) }}
{%- endmacro -%}

{#- One more positive at or above a positive raises the precision there, and one more negative lowers it. Every row has the precision
    at its score, and its effect on precisions at and below: `gained` if it is positive, else `lost`. Both depend only on the
    positives at and below, which are few in a log of clicks. A join by their number avoids another sort. -#}
{%- macro precisions_of_fixed_ranks(f, name, keys, carried) -%}
{%- set precision = 'true_positives / nullif(rows_cumulative, 0)' -%}
{%- set upwards = sqlmetrics.over(keys, 'positives_from_here asc rows unbounded preceding') -%}
{{ sqlmetrics.cte(f.cte ~ '_precise', 'one per distinct score of positives, with the count at and below it') }}
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('positives', keys + ['positives_from_here', 'pos', 'true_positives'])) }},
    floor(positives.cumulative_share * counted.rows_of_all + 0.5) as rows_cumulative
from (
    select
        {{ (keys + ['positives_from_here', 'sum(pos) as pos', 'max(true_positives) as true_positives', 'max(cumulative_share) as cumulative_share']) | join(',\n        ') }}
    from {{ f.cte }}
    where pos = 1
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys + ['positives_from_here'])) }}
) as positives
inner join (
    select
        {{ (keys + [sqlmetrics.to_double('count(*)') ~ ' as rows_of_all']) | join(',\n        ') }}
    from {{ f.cte }}
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys)) }}
) as counted{{ sqlmetrics.on('positives', 'counted', keys) }}
{{ sqlmetrics.cte(f.cte ~ '_from_below', 'precision at every score, and the effect of one more row on all at and below') }}
select
    {{- sqlmetrics.leading(keys) }}
    positives_from_here,
    {{ precision }} as precision_here,
    sum(pos / nullif(rows_cumulative, 0) * (1 - {{ precision }}))
        {{ upwards }} as gained,
    sum(pos / nullif(rows_cumulative, 0) * ({{ precision }}))
        {{ upwards }} as lost
from {{ f.cte }}_precise
{{ sqlmetrics.cte(name, 'rows with the precision at their score, and their effect at and below it') }}
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('ranked', keys + carried + ['pos'])) }},
    1 - ranked.pos as neg,
    coalesce(precisions.precision_here, 0) as precision_here,
    coalesce(precisions.gained, 0) as gained,
    coalesce(precisions.lost, 0) as lost
from {{ f.cte }} as ranked
left join {{ f.cte }}_from_below as precisions{{ sqlmetrics.on('ranked', 'precisions', keys, ['ranked.positives_from_here = precisions.positives_from_here']) }}
{%- endmacro -%}

{#- The same for counts per distinct score. -#}
{%- macro precisions_of_fixed_scores(f, name, slicing, carried) -%}
{%- set keys = slicing['keys'] -%}
{%- set precise = f.cte ~ '_precise' -%}
{%- set from_below = f.cte ~ '_from_below' -%}
{%- set through = 'nullif(true_positives + false_positives, 0)' -%}
{%- set summed = dict(f, cte=from_below, rows='one per distinct score, with the effect of one more row on all at and below') -%}
{%- set sums = [{'measure': 'gained', 'scope': 'cumulative', 'as': 'gained'}, {'measure': 'lost', 'scope': 'cumulative', 'as': 'lost'}] -%}
{%- set columns = ['score', 'row_count', 'precision_here', 'gained_here', 'lost_here'] -%}
{{ sqlmetrics.cte(precise, 'precision at every score, and the effect of one more row at or above it', materialized=true) }}
select
    {{- sqlmetrics.leading(keys) }}
    score,
    row_count,
    true_positives / {{ through }} as precision_here,
    pos / {{ through }} * (false_positives / {{ through }}) as gained_here,
    pos / {{ through }} * (true_positives / {{ through }}) as lost_here
from {{ f.cte }}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(summed, precise, keys, 'score', ' asc', columns, {'gained': 'gained_here', 'lost': 'lost_here'}, sums)) }}
{{ sqlmetrics.cte(name, 'rows with the precision at their score, and their effect at and below it') }}
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('scored', keys + carried + ['pos', 'neg']) + sqlmetrics.keys_of('precisions', ['precision_here', 'gained', 'lost'])) }}
from {{ slicing.rows_from }} as scored
inner join {{ from_below }} as precisions{{ sqlmetrics.on('scored', 'precisions', keys, ['scored.score = precisions.score']) }}
{{- f.where }}
{%- endmacro -%}
