{#-
title: duration blocks
rows: one per block of neighbouring durations and distinct score in it
stateless: it orders all rows by duration and by score
counts: 'sum(case when width = 1 then row_count else 0 end)'
totals: 'sum(case when width = 1 then weight else 0 end)'
columns: width (how many distinct durations a block spans, a power of 2) and block (its number), score, events (the weight of those with the event in the lower half), later (the share of all weight that the rows in the upper half have), later_below (that of lower scores) and later_in_block (of all scores); of a block of one duration events are all that it has, and later are those without; row_count and, of pre-aggregated rows, weight
-#}

{#- Two durations are in the two halves of one block of one width alone, so each pair of rows is met once, and every block is put in
    the order of the scores: n·log² n steps for n rows, where a join would take n². -#}
{%- macro duration_blocks(f, rows_from, keys) -%}
{%- set distinct = 'distinct_durations' ~ f.suffix -%}
{%- set ordered = dict(f, cte='ordered_durations' ~ f.suffix, rows='one per distinct duration, with the number of shorter ones') -%}
{%- set widths = 'block_widths' ~ f.suffix -%}
{%- set halves = 'block_halves' ~ f.suffix -%}
{%- set block_keys = keys + ['width', 'block'] -%}
{%- set totals = ['weight'] if 'total' in f.requires else [] -%}
{%- set columns = ['ordered_duration', 'weight', 'row_count'] -%}
{%- set measures = {'place': sqlmetrics.to_double('1'), 'weight': 'weight'} -%}
{%- set places = [{'measure': 'place', 'reach': 'before', 'as': 'place'}, {'measure': 'weight', 'reach': 'all', 'as': 'weight_of_all'}] -%}
{%- set sums = [{'measure': 'later', 'reach': 'before', 'as': 'later_below'}, {'measure': 'later', 'reach': 'all', 'as': 'later_in_block'}] -%}
{{ sqlmetrics.cte(distinct, 'one per distinct duration') }}
{{ sqlmetrics.sums_by(keys + ['duration as ordered_duration'], ['sum(pos + neg) as weight'], rows_from, f.where) }}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(ordered, distinct, keys, 'ordered_duration', ' asc', columns, measures, places)) }}
{#- 2^47 durations are more than any log has. -#}
{{ sqlmetrics.cte(widths, 'one per width of a block, the widest with all durations in two halves') }}
select
    power(2, {{ sqlmetrics.to_double('step') }}) as width
from (
    {{ sqlmetrics.indented(sqlmetrics.series(48, 'step')) }}
) as steps
cross join (
    select max(place) as last_place
    from {{ ordered.cte }}
) as places
where power(2, {{ sqlmetrics.to_double('step') }}) <= greatest(2 * last_place, 1)
{{ sqlmetrics.cte(halves, f.rows) }}
select
    {{- sqlmetrics.leading(block_keys + ['score']) }}
    sum(case when is_upper then 0 else pos end) as events,
    sum(case when width = 1 then neg when is_upper then pos + neg else 0 end / nullif(weight_of_all, 0)) as later,
    count(*) as row_count
    {{- ',\n    sum(pos + neg) as weight' if totals }}
from (
    select{{ sqlmetrics.broadcast('widths') }}
        {{- sqlmetrics.leading(keys, 'timed', depth=2) }}
        widths.width,
        floor(ordered.place / widths.width) as block,
        timed.score,
        timed.pos,
        timed.neg,
        ordered.weight_of_all,
        ordered.place - floor(ordered.place / widths.width) * widths.width >= widths.width / 2 as is_upper
    from {{ rows_from }} as timed
    inner join {{ ordered.cte }} as ordered
        on {{ sqlmetrics.matching('timed', 'ordered', keys, depth=2) }}timed.duration = ordered.ordered_duration
    cross join {{ widths }} as widths
    {{- f.where | indent(4) }}
) as rows_in_blocks
where width = 1 or is_upper or pos > 0
{{- sqlmetrics.group_by(block_keys + ['score']) }}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(f, halves, block_keys, 'score', ' asc', ['score', 'events', 'later', 'row_count'] + totals, {'later': 'later'}, sums)) }}
{%- endmacro -%}
