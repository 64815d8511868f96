{#-
title: duration blocks
rows: one per block of neighbouring durations, or per distinct score in it, and one per duration with its rows
stateless: it orders all rows by duration and by score
totals: sum(weight)
columns: pairs (of a row with the event and a row that lasts longer, or as long without it) and won (those in which the first has the higher score, ties half), both in products of weights; row_count and weight, of the durations alone
-#}

{#- The event rank of a row is the number of shorter durations with an event. Without an event its own duration counts too, so higher
    ranks last longer. Each cut splits blocks of ranks into four parts; in exactly one cut, two ranks are in different parts of a block. There
    a row with the event meets the rows of each later part, ranked by score. -#}
{%- macro duration_blocks(f, rows_from, keys) -%}
{%- set ordered = 'ordered_durations' ~ f.suffix -%}
{%- set totals = ['weight'] if 'total' in f.requires else [] -%}
{%- set sums_of_durations = ['sum(pos + neg) as weight', 'max(case when pos > 0 then 1 else 0 end) as has_event'] -%}
{%- set columns = ['ordered_duration', 'has_event', 'weight', 'row_count'] -%}
{%- set carried = ['score'] + ([] if f.ranked else ['weight', 'weight_of_all']) -%}
{{ sqlmetrics.cte('distinct_durations' ~ f.suffix, 'one per distinct duration') }}
{{ sqlmetrics.sums_by(keys + ['duration as ordered_duration'], sums_of_durations, rows_from, f.where) }}
{{ sqlmetrics.sums_in_order(
    f, ordered, 'one per distinct duration, with the number of shorter ones that have an event',
    'distinct_durations' ~ f.suffix, keys, 'ordered_duration', ' asc', columns,
    {'event_rank': ['event_rank', 'before'], 'weight_of_all': ['weight', 'total']}, {'event_rank': sqlmetrics.to_double('has_event')},
) }}
{{ sqlmetrics.cte('block_widths' ~ f.suffix, 'one per cut') }}
select
    step,
    power(4, {{ sqlmetrics.to_double('step') }}) as width
from (
    {{ sqlmetrics.indented(sqlmetrics.series(24, 'step')) }}
) as steps
cross join (
    select max(event_rank + has_event) as last_event_rank
    from {{ ordered }}
) as event_ranks
where power(4, {{ sqlmetrics.to_double('step') }}) <= last_event_rank
{{ sqlmetrics.cte('ranked_durations' ~ f.suffix, 'one per row, with its event rank' ~ (', those with the event apart from those without' if totals), materialized=true) }}
{%- for part in (['pos', 'neg'] if totals else ['timed.pos + timed.neg']) %}
{{- '\nunion all' if not loop.first }}
select
    {{- sqlmetrics.leading(keys + ['score'], 'timed') }}
    {{- sqlmetrics.leading([] if f.ranked else [part ~ ' as weight', 'ordered.weight_of_all']) }}
    {{ {'pos': '1', 'neg': '0'}.get(part, sqlmetrics.to_tinyint('case when timed.pos > 0 then 1 else 0 end')) }} as is_event,
    event_rank + {{ {'pos': '0', 'neg': 'has_event'}.get(part, 'case when timed.pos > 0 then 0 else has_event end') }} as event_rank
from {{ rows_from }} as timed
inner join {{ ordered }} as ordered{{ sqlmetrics.on('timed', 'ordered', keys, ['timed.duration = ordered.ordered_duration']) }}
{{- f.where }}
{%- endfor %}
{{ sqlmetrics.cte('cuts' ~ f.suffix, 'one per row and cut, with its part') }}
select{{ sqlmetrics.broadcast('widths') }}
    {{- sqlmetrics.leading(keys + carried + ['is_event', 'step']) }}
    floor(event_rank / width) as rank_in_cut,
    floor(event_rank / width) - 4 * floor(event_rank / width / 4) as part
from ranked_durations{{ f.suffix }}
cross join block_widths{{ f.suffix }} as widths
{{ sqlmetrics.cte('meetings' ~ f.suffix, 'one per part that a row is in, or that comes later than a row with the event') }}
select
    {{- sqlmetrics.leading(keys + carried) }}
    32 * rank_in_cut + step as block,
    {{ sqlmetrics.to_tinyint('0') }} as is_event
from cuts{{ f.suffix }}
where part > 0
union all
select
    {{- sqlmetrics.leading(keys + carried) }}
    32 * (rank_in_cut + ahead) + step as block,
    is_event
from cuts{{ f.suffix }}
cross join {{ sqlmetrics.numbers(3, 'ahead', 'parts_ahead') }}
where is_event = 1
    and part + ahead < 4
{{ sqlmetrics.pairs_of_blocks(f, keys) }}
union all
select
    {{- sqlmetrics.leading(keys) }}
    0 as won,
    0 as pairs,
    {{ sqlmetrics.select_list(['row_count'] + totals) }}
from {{ ordered }}
{%- endmacro -%}

{#- Pairs in each block, and those that are won. -#}
{%- macro pairs_of_blocks(f, keys) -%}
{%- set later = 'sum(case when is_event = 1 then 0 else weight / nullif(weight_of_all, 0) end) as later' -%}
{%- set events = 'sum(case when is_event = 1 then weight else 0 end) as events' -%}
{%- set in_order = sqlmetrics.over(keys + ['block'], 'score asc') -%}
{%- if f.ranked -%}
{#- The ranks of rows with the event give the later rows below them in a block, as in `area_under_roc`. #}
{{ sqlmetrics.cte('ranked_meetings' ~ f.suffix, 'ranks by score in each block') }}
select
    {{- sqlmetrics.leading(keys) }}
    block,
    {{ sqlmetrics.to_double('is_event') }} as event,
    rank() {{ in_order }} - 1 as rows_below,
    cume_dist() {{ in_order }} as cumulative_share
from meetings{{ f.suffix }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys) }}
    (sum(event * rows_below) + round(count(*) * sum(event * cumulative_share)) - sum(event) * sum(event)) / 2 as won,
    sum(event) * (count(*) - sum(event)) as pairs,
    0 as row_count
from ranked_meetings{{ f.suffix }}
{{- sqlmetrics.group_by(keys + ['block']) }}
{%- else %}
{{ sqlmetrics.cte('scores_of_blocks' ~ f.suffix, 'one per block and distinct score in it; of later rows their share of all weight') }}
{{ sqlmetrics.sums_by(keys + ['block', 'score'], [events, later], 'meetings' ~ f.suffix) }}
{{ sqlmetrics.sums_in_order(
    f, 'wins_of_scores' ~ f.suffix, 'scores, with the weight of later rows below each', 'scores_of_blocks' ~ f.suffix, keys + ['block'],
    'score', ' asc', ['score', 'events', 'later', 'row_count'], {'later_below': ['later', 'before'], 'later_in_block': ['later', 'total']},
) }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys) }}
    events * (later_below + later / 2) as won,
    events * later_in_block as pairs,
    0 as row_count
    {{- ',\n    0 as weight' if 'total' in f.requires }}
from wins_of_scores{{ f.suffix }}
{%- endif %}
{%- endmacro -%}
