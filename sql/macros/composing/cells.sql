{#- Running sums in the order of a value, in one level or in two.

    Two levels are for engines that give a window without a partition, or with a few large ones, to one task. Every value has a
    cell: a fixed function of the value alone, which never falls where the value rises. The sums of the whole cells are few
    rows, and only over these goes a window that is as wide as a slice. Inside the cells the windows are as many as there are
    cells. What lies before a cell plus what lies before the value inside it is exact, and as the cells do not depend on the
    data, a part that is computed again after a failure comes out the same. -#}

{#- The steps from `from` (one row per value, with a row_count) to f.cte, which has the columns carried and the sums.
    measures: what is summed, name -> expression; sums: [{measure, reach, as}], where reach is 'here' (all values up to this
    one in the order, and this one), 'before' (without this one), 'after' (the values after this one) or 'all'; direction:
    ' asc' or ' desc'. -#}
{%- macro running_sums(f, from, keys, value, direction, carried, measures, sums) -%}
{%- if f.two_level -%}
{{ return(sqlmetrics.sums_in_two_levels(f, from, keys, value, direction, carried, measures, sums)) }}
{%- endif -%}
{%- set with_sums -%}
select
    {{ sqlmetrics.select_list(keys + carried) }}
{%- for sum in sums %},
    {{ sqlmetrics.running_sum(measures[sum.measure], keys, value, direction, sum.reach) }} as {{ sum.as }}
{%- endfor %}
from {{ from }}
{%- endset -%}
{{ return([sqlmetrics.step(f.cte, with_sums, f.rows)]) }}
{%- endmacro -%}

{#- What comes after is summed in the opposite order: Spark takes a frame that ends at the end row by row. -#}
{%- macro running_sum(measure, keys, value, direction, reach) -%}
{%- if reach == 'all' -%}
sum({{ measure }}) {{ sqlmetrics.over(keys) }}
{%- elif reach == 'here' -%}
sum({{ measure }}) {{ sqlmetrics.over(keys, value ~ direction ~ ' rows unbounded preceding') }}
{%- else -%}
{%- set way = direction if reach == 'before' else ' asc' if direction == ' desc' else ' desc' -%}
{%- set sum = 'sum(' ~ measure ~ ') ' ~ sqlmetrics.over(keys, value ~ way ~ ' rows between unbounded preceding and 1 preceding') -%}
{{ 'coalesce(\n        ' ~ sum | indent(4) ~ ',\n        0\n    )' if sum | length > 112 else 'coalesce(' ~ sum ~ ', 0)' }}
{%- endif -%}
{%- endmacro -%}

{#- The number of a value's cell: 1024 to each unit of ln(x / (1 - x)) below 1 and of ln(x) from there on, so that click rates
    of 0.001 are spread as well as those of 0.5; mirrored for what is negative. Every operation rounds monotonically, so
    that equal values share a cell and a higher value is never in a lower one. 746 and 784 keep the two parts above 0
    and apart: the logarithms go from -744.5 to 36.8, and from 0 to 709.8. It is never NULL and never an error, because
    Spark evaluates it before the rows without a score are gone: a cast to an integer would fail there. -#}
{%- macro cell_of(value) -%}
coalesce(floor(1024 * case
    when {{ value }} = 0 then 0
    when abs({{ value }}) < 1 then sign({{ value }}) * (746 + ln(abs({{ value }}) / (1 - abs({{ value }}))))
    else sign({{ value }}) * (784 + ln(least(abs({{ value }}), 1.7976931348623157e308)))
end), 0)
{%- endmacro -%}

{#- The sums of whole cells, and inside a cell those of its values. -#}
{%- macro sums_in_two_levels(f, from, keys, value, direction, carried, measures, sums) -%}
{%- set cell_keys = keys + ['cell'] -%}
{%- set in_cells -%}
select
    {{ sqlmetrics.select_list(keys + carried) }},
    {{ sqlmetrics.indented(sqlmetrics.cell_of(value)) }} as cell
from {{ from }}
{%- endset -%}
{#- `having` is always true. Without it Spark would leave out the columns that no metric asks of a cell, and would then not see
    that what stands below the cells and below the values is the same: it would read the log twice. -#}
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
{#- Of a sum over a cell and what is before it in the cell, the cells have what is before the cell. -#}
{%- set of_cells = {} -%}
{%- set inside = {} -%}
{%- for sum in sums -%}
{%- set reach = {'all': 'all', 'after': 'after'}.get(sum.reach, 'before') -%}
{%- set name = sum.measure ~ ('_of_all' if reach == 'all' else '_' ~ reach) -%}
{%- do of_cells.update({name: sqlmetrics.running_sum(sum.measure ~ '_sum', keys, 'cell', direction, reach)}) -%}
{%- if reach != 'all' -%}
{%- do inside.update({sum.measure ~ '_' ~ sum.reach ~ '_local': sqlmetrics.running_sum(measures[sum.measure], cell_keys, value, direction, sum.reach)}) -%}
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
{%- set with_sums -%}
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_alone('inside', cell_keys + carried)) }}
{%- for sum in sums %},
{%- if sum.reach == 'all' %}
    cells.{{ sum.measure }}_of_all{{ ' as ' ~ sum.as if sum.as != sum.measure ~ '_of_all' }}
{%- else %}
    cells.{{ sum.measure }}_{{ 'after' if sum.reach == 'after' else 'before' }} + inside.{{ sum.measure }}_{{ sum.reach }}_local as {{ sum.as }}
{%- endif %}
{%- endfor %}
from {{ from }}_in_order as inside
inner join cells_of_{{ from }}_in_order as cells
    on {% for key in cell_keys -%}
{{ '\n    and ' if not loop.first }}{{ 'inside.' ~ key ~ ' = cells.' ~ key if key in ['slice_id', 'column_id', 'field_id', 'cell'] else sqlmetrics.same_value('inside.' ~ key, 'cells.' ~ key) }}
{%- endfor %}
{%- endset -%}
{{ return([
    sqlmetrics.step(from ~ '_in_cells', in_cells, 'the cell of every value', stored=true),
    sqlmetrics.step('cells_of_' ~ from, cells, 'one per cell'),
    sqlmetrics.step('cells_of_' ~ from ~ '_in_order', cells_in_order, 'what lies in the cells before each'),
    sqlmetrics.step(from ~ '_in_order', in_order, 'what lies before each value in its own cell'),
    sqlmetrics.step(f.cte, with_sums, f.rows),
]) }}
{%- endmacro -%}
