{#- Running sums in the order of a value, in one level or in two.

    Two levels are for engines that run a window without a partition, or with a few large ones, in one task. Every value has a
    cell: a function of the value alone that never decreases. A window per slice covers the few sums of whole cells, and a window
    per cell its values. The sum over earlier cells plus the sum inside the cell is exact. Cells do not depend on the data, so
    a task that is retried after a failure returns the same rows. -#}

{#- Steps from `from` (one row per value, with a row_count) to f.cte, with the columns `carried` and the sums. `measures` maps names to
    summed expressions. `sums` lists {measure, scope, as}: the scope is 'cumulative' (up to and including this value), 'before',
    'after' or 'total'. `direction` is ' asc' or ' desc'. -#}
{%- macro running_sums(f, from, keys, value, direction, carried, measures, sums) -%}
{%- if f.two_level -%}
{{ return(sqlmetrics.sums_in_two_levels(f, from, keys, value, direction, carried, measures, sums)) }}
{%- endif -%}
{%- set with_sums -%}
select
    {{ sqlmetrics.select_list(keys + carried) }}
{%- for sum in sums %},
    {{ sqlmetrics.running_sum(measures[sum.measure], keys, value, direction, sum.scope) }} as {{ sum.as }}
{%- endfor %}
from {{ from }}
{%- endset -%}
{{ return([sqlmetrics.step(f.cte, with_sums, f.rows)]) }}
{%- endmacro -%}

{#- 'after' sums in the opposite order: Spark evaluates `unbounded following` row by row. -#}
{%- macro running_sum(measure, keys, value, direction, scope) -%}
{%- if scope == 'total' -%}
sum({{ measure }}) {{ sqlmetrics.over(keys) }}
{%- elif scope == 'cumulative' -%}
sum({{ measure }}) {{ sqlmetrics.over(keys, value ~ direction ~ ' rows unbounded preceding') }}
{%- else -%}
{%- set way = direction if scope == 'before' else ' asc' if direction == ' desc' else ' desc' -%}
{%- set sum = 'sum(' ~ measure ~ ') ' ~ sqlmetrics.over(keys, value ~ way ~ ' rows between unbounded preceding and 1 preceding') -%}
{{ 'coalesce(\n        ' ~ sum | indent(4) ~ ',\n        0\n    )' if sum | length > 112 else 'coalesce(' ~ sum ~ ', 0)' }}
{%- endif -%}
{%- endmacro -%}

{#- The cell of a value: 1024 cells per unit of ln(x / (1 - x)) below 1 and of ln(x) above, mirrored for negative values. So click rates
    near 0.001 spread as well as those near 0.5. Every operation rounds monotonically: equal values share a cell, and a higher value is
    never in a lower cell. 746 and 784 keep both parts positive and apart: the logarithms range from -744.5 to 36.8, and from 0 to
    709.8. The cell is never NULL or an error, since Spark evaluates it before it drops rows without a score. A cast to an integer would
    fail there. -#}
{%- macro cell_of(value) -%}
coalesce(floor(1024 * case
    when {{ value }} = 0 then 0
    when abs({{ value }}) < 1 then sign({{ value }}) * (746 + ln(abs({{ value }}) / (1 - abs({{ value }}))))
    else sign({{ value }}) * (784 + ln(least(abs({{ value }}), 1.7976931348623157e308)))
end), 0)
{%- endmacro -%}

{%- macro sums_in_two_levels(f, from, keys, value, direction, carried, measures, sums) -%}
{%- set cell_keys = keys + ['cell'] -%}
{%- set in_cells -%}
select
    {{ sqlmetrics.select_list(keys + carried) }},
    {{ sqlmetrics.indented(sqlmetrics.cell_of(value)) }} as cell
from {{ from }}
{%- endset -%}
{#- `having` is always true. Without it Spark prunes unused columns of the cells, no longer recognizes that cells and values share a
    subquery, and reads the log twice. -#}
{%- set cells -%}
select
    {{ sqlmetrics.select_list(cell_keys) }}
{%- for measure, expression in measures.items() %},
    sum({{ expression }}) as {{ measure }}_sum
{%- endfor %}
from {{ from }}_in_cells
{{- sqlmetrics.group_by(cell_keys) }}
having sum(row_count) > 0
{%- for expression in measures.values() %}
    and sum({{ expression }}) is not null
{%- endfor -%}
{%- endset -%}
{#- For 'cumulative' and 'before', the sum over earlier cells is added to the sum inside the cell. -#}
{%- set of_cells = {} -%}
{%- set inside = {} -%}
{%- set endings = {'cumulative': '_local', 'before': '_before_local', 'after': '_after_local'} -%}
{%- for sum in sums -%}
{%- set scope = {'total': 'total', 'after': 'after'}.get(sum.scope, 'before') -%}
{%- set name = sum.measure ~ ('_of_all' if scope == 'total' else '_' ~ scope) -%}
{%- do of_cells.update({name: sqlmetrics.running_sum(sum.measure ~ '_sum', keys, 'cell', direction, scope)}) -%}
{%- if scope != 'total' -%}
{%- do inside.update({sum.measure ~ endings[sum.scope]: sqlmetrics.running_sum(measures[sum.measure], cell_keys, value, direction, sum.scope)}) -%}
{%- endif -%}
{%- endfor -%}
{%- set cells_in_order -%}
select
    {{ sqlmetrics.select_list(cell_keys + sqlmetrics.selected(of_cells)) }}
from cells_of_{{ from }}
{%- endset -%}
{%- set in_order -%}
select
    {{ sqlmetrics.select_list(cell_keys + carried + sqlmetrics.selected(inside)) }}
from {{ from }}_in_cells
{%- endset -%}
{%- set ids = ['slice_id', 'column_id', 'field_id', 'cell'] -%}
{%- set with_sums -%}
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_alone('inside', cell_keys + carried)) }}
{%- for sum in sums %},
{%- if sum.scope == 'total' %}
    cells.{{ sum.measure }}_of_all{{ ' as ' ~ sum.as if sum.as != sum.measure ~ '_of_all' }}
{%- else %}
    cells.{{ sum.measure }}_{{ 'after' if sum.scope == 'after' else 'before' }} + inside.{{ sum.measure ~ endings[sum.scope] }} as {{ sum.as }}
{%- endif %}
{%- endfor %}
from {{ from }}_in_order as inside
inner join cells_of_{{ from }}_in_order as cells{{ sqlmetrics.on('inside', 'cells', cell_keys | select('in', ids), sqlmetrics.same_slices('inside', 'cells', cell_keys | reject('in', ids))) }}
{%- endset -%}
{{ return([
    sqlmetrics.step(from ~ '_in_cells', in_cells, 'the cell of every value', materialized=true),
    sqlmetrics.step('cells_of_' ~ from, cells, 'one per cell'),
    sqlmetrics.step('cells_of_' ~ from ~ '_in_order', cells_in_order, 'cumulative sums over cells'),
    sqlmetrics.step(from ~ '_in_order', in_order, 'cumulative sums over the values inside each cell'),
    sqlmetrics.step(f.cte, with_sums, f.rows),
]) }}
{%- endmacro -%}
