{#- Assigns rows of the log to rows of a curve or a lift table. -#}

{#- For each row of the log, the highest threshold of the curve that its score reaches. A score of minus infinity reaches none: its
    key is no row of the curve. -#}
{%- macro rows_at_thresholds(m, f, rows_from, keys, carried) -%}
{%- if m.points == 'all' -%}
select
    {{ sqlmetrics.select_list(keys + carried + ['pos', 'neg', 'score as row_key']) }}
from {{ rows_from }}
{{- f.where }}
{%- else -%}
{{ sqlmetrics.rows_keyed_by_score(m, f, rows_from, keys, carried) }}
{%- endif -%}
{%- endmacro -%}

{#- Rows of the log with the key of their table row: the highest row whose lowest score they reach. A cell of scores has few
    candidates, mostly one. -#}
{%- macro rows_keyed_by_score(m, f, rows_from, keys, carried, summed=['pos', 'neg']) -%}
select{{ sqlmetrics.broadcast('row_keys') }}
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('scored', keys + carried + summed + ['score']) + ['row_keys.row_key as row_key']) }}
from (
    select
        {{ (keys + carried + summed + ['score', sqlmetrics.cell_of('score') | indent(8) ~ ' as cell']) | join(',\n        ') }}
    from {{ rows_from }}
    {{- sqlmetrics.indented(f.where) }}
) as scored
inner join {{ m.name }}_row_keys as row_keys{{ sqlmetrics.on('scored', 'row_keys', keys + ['cell']) }}
where scored.score >= row_keys.lowest_score
    and (row_keys.next_lowest_score is null or scored.score < row_keys.next_lowest_score)
{%- endmacro -%}

{#- Rows of a table in every cell that has a score, with the bounds of their scores. -#}
{%- macro row_keys_of_cells(m, f, rows_from, keys) -%}
select{{ sqlmetrics.broadcast('edges') }}
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('cells', keys + ['cell']) + sqlmetrics.keys_of('edges', ['row_key', 'lowest_score', 'next_lowest_score'])) }}
from (
    select distinct
        {{ (keys + [sqlmetrics.cell_of('score') | indent(8) ~ ' as cell']) | join(',\n        ') }}
    from {{ rows_from }}
    {{- sqlmetrics.indented(f.where) }}
) as cells
{{ 'inner' if keys else 'cross' }} join (
    select
        {{ (keys + ['row_key', 'lowest_score', 'next_lowest_score']) | join(',\n        ') }},
        {{ sqlmetrics.cell_of('lowest_score') | indent(8) }} as lowest_cell,
        {{ sqlmetrics.cell_of('next_lowest_score') | indent(8) }} as next_lowest_cell
    from (
        select
            {{ (keys + [
                m.bands.row_key ~ (' as row_key' if m.bands.row_key != 'row_key' else ''),
                'lowest_score',
                'min(lowest_score) ' ~ sqlmetrics.over(keys, 'lowest_score desc rows between unbounded preceding and 1 preceding') ~ ' as next_lowest_score',
            ]) | join(',\n            ') }}
        from {{ m.name }}
        where {{ m.bands.row_key }} is not null
    ) as rows_of_table
) as edges{{ sqlmetrics.on('cells', 'edges', keys) if keys }}
where cells.cell >= edges.lowest_cell
    and (edges.next_lowest_score is null or cells.cell <= edges.next_lowest_cell)
{%- endmacro -%}
