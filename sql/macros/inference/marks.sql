{#- Assigns rows of the log to rows of a curve or a lift table. -#}

{#- For each row of the log, the highest threshold of the curve that its score reaches. A score of minus infinity reaches none: its
    mark is no row of the curve. -#}
{%- macro rows_at_thresholds(m, f, rows_from, keys, carried) -%}
{%- if m.points == 'all' -%}
select
    {{ sqlmetrics.select_list(keys + carried + ['pos', 'neg', 'score as mark']) }}
from {{ rows_from }}
{{- f.where }}
{%- else -%}
{{ sqlmetrics.rows_marked_by_score(m, f, rows_from, keys, carried) }}
{%- endif -%}
{%- endmacro -%}

{#- Rows of the log with the mark of their table row: the highest one whose lowest score they reach. A cell of scores has few
    candidates, mostly one. -#}
{%- macro rows_marked_by_score(m, f, rows_from, keys, carried, summed=['pos', 'neg']) -%}
{%- set same = sqlmetrics.same_keys('scored', 'marks', keys) -%}
select{{ sqlmetrics.broadcast('marks') }}
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('scored', keys + carried + summed + ['score']) + ['marks.mark as mark']) }}
from (
    select
        {{ (keys + carried + summed + ['score', sqlmetrics.cell_of('score') | indent(8) ~ ' as cell']) | join(',\n        ') }}
    from {{ rows_from }}
    {{- sqlmetrics.indented(f.where) }}
) as scored
inner join {{ m.name }}_marks as marks
    on {{ (same + ['scored.cell = marks.cell']) | join('\n    and ') }}
where scored.score >= marks.lowest_score
    and (marks.next_lowest_score is null or scored.score < marks.next_lowest_score)
{%- endmacro -%}

{#- Marks of a table in every cell that has a score, with the bounds of their scores. -#}
{%- macro marks_of_cells(m, f, rows_from, keys) -%}
{%- set same = sqlmetrics.same_keys('cells', 'edges', keys) -%}
select{{ sqlmetrics.broadcast('edges') }}
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('cells', keys + ['cell']) + sqlmetrics.keys_of('edges', ['mark', 'lowest_score', 'next_lowest_score'])) }}
from (
    select distinct
        {{ (keys + [sqlmetrics.cell_of('score') | indent(8) ~ ' as cell']) | join(',\n        ') }}
    from {{ rows_from }}
    {{- sqlmetrics.indented(f.where) }}
) as cells
{{ 'inner' if keys else 'cross' }} join (
    select
        {{ (keys + ['mark', 'lowest_score', 'next_lowest_score']) | join(',\n        ') }},
        {{ sqlmetrics.cell_of('lowest_score') | indent(8) }} as lowest_cell,
        {{ sqlmetrics.cell_of('next_lowest_score') | indent(8) }} as next_lowest_cell
    from (
        select
            {{ (keys + [
                m.bands.mark ~ (' as mark' if m.bands.mark != 'mark' else ''),
                'lowest_score',
                'min(lowest_score) ' ~ sqlmetrics.over(keys, 'lowest_score desc rows between unbounded preceding and 1 preceding') ~ ' as next_lowest_score',
            ]) | join(',\n            ') }}
        from {{ m.name }}
        where {{ m.bands.mark }} is not null
    ) as rows_of_table
) as edges
    {{- '\n    on ' ~ same | join('\n    and ') if same }}
where cells.cell >= edges.lowest_cell
    and (edges.next_lowest_score is null or cells.cell <= edges.next_lowest_cell)
{%- endmacro -%}
