{#- Drift of columns between two relations: a row per slice and column. -#}

{%- macro drift_statement(q) -%}
{%- set drift = sqlmetrics.drift_steps(q) -%}
-- {{ sqlmetrics.comment_text(q.title) }}
{%- set order = (['slices.slice_id asc'] if q.by or q.groupings else []) + ['reported_columns.column_id asc'] %}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(drift.steps, drift.ending ~ sqlmetrics.by_keys('order by', order))) }}
{%- endmacro -%}

{%- macro drift_steps(q) -%}
{%- set own = sqlmetrics.slice_columns(dict(q, models=[])) -%}
{%- set keys = ['slice_id'] if own else [] -%}
{%- set rows = 'rows_with_slice_id' if own else 'valid_rows' -%}
{%- set numbers = q.reported | rejectattr('category') | list -%}
{%- set categories = q.reported | selectattr('category') | list -%}
{%- set column_keys = keys + ['column_id'] -%}
{%- set bins = (['number_bins'] if numbers else []) + (['category_bins'] if categories else []) -%}
{{ return({
    'steps': sqlmetrics.input_steps(q) + [sqlmetrics.source_step(q, q.materialized)]
        + [sqlmetrics.valid_rows_step(q, (sqlmetrics.slices_of_groupings(q) if q.groupings else own) + ['model_id'], 'source' ~ sqlmetrics.once_per_grouping(q))]
        + (sqlmetrics.slices_steps(dict(q, against=none), own) if own else [])
        + [sqlmetrics.step('counted_rows', sqlmetrics.rows_of_sides(q, rows, keys), 'rows of both relations, and shares of missing values')]
        + (sqlmetrics.steps_of_numbers(rows, keys, numbers, column_keys, q.bins, q.two_level) if numbers else [])
        + (sqlmetrics.steps_of_categories(rows, keys, categories, column_keys) if categories else [])
        + [sqlmetrics.step('drifts', sqlmetrics.drifts_of_columns(column_keys, bins, q.eps), 'one per slice and column')],
    'ending': sqlmetrics.drift_select(q, own),
}) }}
{%- endmacro -%}

{#- Missing: NULL and, in numbers, NaN. -#}
{%- macro has_value(column) -%}
{{ return(column.canonical ~ ' is not null' if column.category else sqlmetrics.is_number(column.canonical) | replace('\n    ', ' ')) }}
{%- endmacro -%}

{%- macro rows_of_sides(q, rows, keys) -%}
select
    {{- sqlmetrics.leading(keys) }}
    cast(sum(case when model_id = 1 then 1 else 0 end) as bigint) as n,
    cast(sum(case when model_id = 2 then 1 else 0 end) as bigint) as n_reference
{%- for column in q.reported %}
{%- for name, model in {'missing': 1, 'missing_reference': 2}.items() %}
{%- set weight = 'sum(case when model_id = ' ~ model ~ ' and ' ~ sqlmetrics.fails(sqlmetrics.has_value(column)) ~ ' then weight else 0 end)' %},
    {{ sqlmetrics.safe_divide(weight, 'sum(case when model_id = ' ~ model ~ ' then weight else 0 end)') }} as {{ name }}_{{ column.id }}
{%- endfor %}
{%- endfor %}
from {{ rows }}
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}

{#- The weight of each distinct value in both relations, without the value for categories. -#}
{%- macro weights_at_values(rows, keys, columns, ordered) -%}
{%- set zero = sqlmetrics.to_double('0') -%}
{%- for column in columns -%}
select
    {{ sqlmetrics.select_list(keys + [column.id ~ ' as column_id'] + ([column.canonical ~ ' as value'] if ordered else [])) }},
    count(*) as row_count,
    sum(case when model_id = 1 then weight else {{ zero }} end) as current_weight,
    sum(case when model_id = 2 then weight else {{ zero }} end) as reference_weight
from {{ rows }}
where weight > 0
    and {{ sqlmetrics.has_value(column) }}
{{- sqlmetrics.group_by(keys + [column.canonical]) }}
{%- if not loop.last %}
union all
{% endif -%}
{%- endfor -%}
{%- endmacro -%}

{#- Steps from the rows to `number_values` and `number_bins`. -#}
{%- macro steps_of_numbers(rows, keys, numbers, column_keys, bins, two_level) -%}
{%- set number_ranges -%}
select
    {{ sqlmetrics.select_list(column_keys) }},
    min(value) as lowest,
    max(value) as highest,
    sum(current_weight) as current_of_all,
    sum(reference_weight) as reference_of_all
from number_values
{{- sqlmetrics.group_by(column_keys) }}
{%- endset -%}
{%- set number_bins -%}
select
    {{ sqlmetrics.select_list(column_keys) }},
    max(distance) as distance,
    sum(range_share * (distance_before - distance)) as area,
    max(value_range) as value_range,
    sum(current_share) as current_share,
    sum(reference_share) as reference_share
from binned_values
where distance is not null
{{- sqlmetrics.group_by(column_keys + ['bin']) }}
{%- endset -%}
{%- set f = {'cte': 'running_weights', 'rows': 'cumulative weights of both relations', 'two_level': two_level} -%}
{%- set sums = [{'measure': 'current', 'scope': 'cumulative', 'as': 'current_cumulative'}, {'measure': 'reference', 'scope': 'cumulative', 'as': 'reference_cumulative'}] -%}
{{ return([
        sqlmetrics.step('number_values', sqlmetrics.weights_at_values(rows, keys, numbers, true), 'one per value of a number', materialized=true),
        sqlmetrics.step('number_ranges', number_ranges, 'range and total weights of each column', materialized=true),
    ]
    + sqlmetrics.running_sums(f, 'number_values', column_keys, 'value', ' asc', ['value', 'row_count', 'current_weight', 'reference_weight'], {'current': 'current_weight', 'reference': 'reference_weight'}, sums)
    + [
        sqlmetrics.step('binned_values', sqlmetrics.binned_values(column_keys, bins), 'the bin of each value, by equal shares of the reference'),
        sqlmetrics.step('number_bins', number_bins, 'one per bin of a number'),
    ]) }}
{%- endmacro -%}

{#- The area between two distribution functions is Σ |d| (next value − value), by parts Σ value (|d| before − |d|), so no row needs
    the next value. Values are scaled to their range, which keeps precision where it is far from 0. An infinite range, or one too
    small to divide, has no area.

    A value with the weight share of a whole bin gets a bin of its own. Otherwise lower values would share it, as when a feature
    of 0 becomes -1. -#}
{%- macro binned_values(column_keys, bins) -%}
{%- set value_range = '(highest - lowest)' -%}
{%- set finite = 'lowest > -1e300 and highest < 1e300' -%}
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('sums', column_keys)) }},
    current_weight / nullif(current_of_all, 0) as current_share,
    reference_weight / nullif(reference_of_all, 0) as reference_share,
    abs(current_cumulative / nullif(current_of_all, 0) - reference_cumulative / nullif(reference_of_all, 0)) as distance,
    abs(
        (current_cumulative - current_weight) / nullif(current_of_all, 0)
        - (reference_cumulative - reference_weight) / nullif(reference_of_all, 0)
    ) as distance_before,
    case
        when {{ finite }} and lowest = highest then 0
        when {{ finite }} and {{ value_range }} > 1e-250 then {{ value_range }}
    end as value_range,
    case
        when {{ finite }} and {{ value_range }} > 1e-250 and value - lowest > 1e-30 * {{ value_range }}
            then (value - lowest) / {{ value_range }}
        else 0
    end as range_share,
    {{ sqlmetrics.bin_of_equal_mass({'weighted': true}, bins, '(reference_cumulative - reference_weight)', 'reference_of_all') }}
    + case when {{ bins }} * (reference_weight / nullif(reference_of_all, 0)) >= 1 - 1e-9 then 0.5 else 0 end as bin
from running_weights as sums
inner join number_ranges as ranges{{ sqlmetrics.on('sums', 'ranges', column_keys) }}
{%- endmacro -%}

{%- macro steps_of_categories(rows, keys, categories, column_keys) -%}
{%- set null = sqlmetrics.to_double('null') -%}
{%- set category_bins -%}
select
    {{ sqlmetrics.select_list(column_keys) }},
    {{ null }} as distance,
    {{ null }} as area,
    {{ null }} as value_range,
    current_weight / nullif(sum(current_weight) {{ sqlmetrics.over(column_keys) }}, 0) as current_share,
    reference_weight / nullif(sum(reference_weight) {{ sqlmetrics.over(column_keys) }}, 0) as reference_share
from category_values
{%- endset -%}
{{ return([
    sqlmetrics.step('category_values', sqlmetrics.weights_at_values(rows, keys, categories, false), 'one per class'),
    sqlmetrics.step('category_bins', category_bins, 'each class as a bin'),
]) }}
{%- endmacro -%}

{#- Bins add up to the population stability index, and to the Kullback-Leibler divergences of both sides from their mean. -#}
{%- macro drifts_of_columns(column_keys, bins, eps) -%}
{%- set current = 'greatest(current_share, ' ~ sqlmetrics.number(eps) ~ ')' -%}
{%- set reference = 'greatest(reference_share, ' ~ sqlmetrics.number(eps) ~ ')' -%}
{%- set divergence = 'case when {0} > 0 then {0} * ln(2 * {0} / (current_share + reference_share)) else 0 end' -%}
select
    {{ sqlmetrics.select_list(column_keys) }},
    sum(
        ({{ current }} - {{ reference }})
        * ln({{ current }} / {{ reference }})
    ) as psi,
    max(distance) as ks_distance,
    sqrt(greatest(sum(
        {{ sqlmetrics.for_each(['current_share', 'reference_share'], divergence) | join('\n        + ') }}
    ) / (2 * ln(2)), 0)) as jensen_shannon,
    greatest(sum(area), 0) * max(value_range) as wasserstein
from (
{%- for step in bins %}
    select
        {{ column_keys | join(',\n        ') }},
        distance,
        area,
        value_range,
        current_share,
        reference_share
    from {{ step }}
    {{- '\n    union all' if not loop.last }}
{%- endfor %}
) as bins_of_columns
where current_share is not null
    and reference_share is not null
{{- sqlmetrics.group_by(column_keys) }}
{%- endmacro -%}

{#- A value of the column that a row reports: its name, or its share of missing values. -#}
{%- macro of_column(q, value) -%}
case reported_columns.column_id
{%- for column in q.reported %}
        when {{ column.id }} then {{ sqlmetrics.text_literal(column.name) if value == 'name' else 'counted_rows.' ~ value ~ '_' ~ column.id }}
{%- endfor %}
    end
{%- endmacro -%}

{%- macro drift_select(q, own) -%}
select
    {{- sqlmetrics.leading(sqlmetrics.slice_items(dict(q, models=[]))) }}
    {{ sqlmetrics.of_column(q, 'name') }} as column_name,
    coalesce(counted_rows.n, 0) as n,
    coalesce(counted_rows.n_reference, 0) as n_reference
{%- for name in ['missing', 'missing_reference'] %},
    {{ sqlmetrics.rounded(sqlmetrics.of_column(q, name), q.round) }} as {{ name }}
{%- endfor %}
{%- for name in sqlmetrics.results_of_drift() %},
    {{ sqlmetrics.rounded('drifts.' ~ name, q.round) }} as {{ name }}
{%- endfor %}
from {{ 'slices' if own else 'counted_rows' }}
cross join {{ sqlmetrics.numbers(q.reported | length, 'column_id', 'reported_columns') }}
{%- if own %}
left join counted_rows on slices.slice_id = counted_rows.slice_id
{%- endif %}
left join drifts on reported_columns.column_id = drifts.column_id
{%- if own %}
    and slices.slice_id = drifts.slice_id
{%- endif -%}
{%- endmacro -%}
