{#- The row of a curve or a lift table to which each row of the log belongs. -#}

{#- Of each row of the log, the lowest threshold of the curve's that its score reaches. A score that reaches none (it is minus
    infinity) is a mark of its own, which is no row of the curve. -#}
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

{#- The rows of the log, each with the mark of the row of the table that its score belongs to: of those whose lowest score it
    reaches, the highest. In a cell of scores there are few, and mostly one. -#}
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

{#- The marks of a table in every cell that holds a score, with the scores from which and up to which each reaches. -#}
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
