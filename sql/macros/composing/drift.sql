{#- How far the values of columns in one relation lie from those in another: a row per slice and column. -#}

{%- macro drift_statement(q) -%}
{%- set found = sqlmetrics.drift_steps(q) -%}
-- {{ sqlmetrics.comment_text(q.title) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(found.steps, found.ending ~ found.order)) }}
{%- endmacro -%}

{%- macro drift_steps(q) -%}
{%- set own = sqlmetrics.slice_columns(dict(q, models=[])) -%}
{%- set keys = ['slice_id'] if own else [] -%}
{%- set read_from = 'compared' if q.groupings else 'source' -%}
{%- set steps = sqlmetrics.input_steps(q) + [sqlmetrics.source_step(q, q.stored)] -%}
{%- if q.groupings -%}{%- do steps.append(sqlmetrics.compared_step(q)) -%}{%- endif -%}
{%- do steps.append(sqlmetrics.observations_step(q, own + ['model_id'], read_from)) -%}
{%- if own -%}
{%- do steps.append(sqlmetrics.step('slices', sqlmetrics.slices(dict(q, against=none), own), 'one per slice', stored=true)) -%}
{%- do steps.append(sqlmetrics.step('sliced', sqlmetrics.sliced(own, ['model_id'] + q.derived), 'the rows that count, by the number of their slice')) -%}
{%- endif -%}
{%- set rows = 'sliced' if own else 'observations' -%}
{%- set numbers = [] -%}
{%- set categories = [] -%}
{%- for one in q.told -%}
{%- if one.category -%}{%- do categories.append(one) -%}{%- else -%}{%- do numbers.append(one) -%}{%- endif -%}
{%- endfor -%}
{%- set column_keys = keys + ['column_id'] -%}
{%- do steps.append(sqlmetrics.step('counted_rows', sqlmetrics.rows_of_sides(q, rows, keys), 'the rows of both relations, and the shares without a value')) -%}
{%- set parts = [] -%}
{%- if numbers -%}
{%- set sums = {'cte': 'running_weights', 'rows': 'what both relations have up to here', 'two_level': q.two_level} -%}
{%- set steps = steps + [
    sqlmetrics.step('number_values', sqlmetrics.weights_at_values(rows, keys, numbers, true), 'one per value of a number', stored=true),
    sqlmetrics.step('number_ranges', sqlmetrics.number_ranges(column_keys), 'the lowest and the highest value, and what all of them weigh'),
] + sqlmetrics.running_sums(sums, 'number_values', column_keys, 'value', ' asc', ['value', 'row_count', 'current_weight', 'reference_weight'], {'current': 'current_weight', 'reference': 'reference_weight'}, [
    {'measure': 'current', 'reach': 'here', 'as': 'current_to_here'},
    {'measure': 'reference', 'reach': 'here', 'as': 'reference_to_here'},
]) + [
    sqlmetrics.step('placed_values', sqlmetrics.placed_values(column_keys, q.bins), 'the bin of equal shares of the reference'),
    sqlmetrics.step('number_bins', sqlmetrics.number_bins(column_keys), 'one per bin of a number'),
] -%}
{%- do parts.append('number_bins') -%}
{%- endif -%}
{%- if categories -%}
{%- set steps = steps + [
    sqlmetrics.step('category_values', sqlmetrics.weights_at_values(rows, keys, categories, false), 'one per class'),
    sqlmetrics.step('category_bins', sqlmetrics.category_bins(column_keys), 'each class as a bin'),
] -%}
{%- do parts.append('category_bins') -%}
{%- endif -%}
{%- do steps.append(sqlmetrics.step('drifts', sqlmetrics.drifts_of_columns(column_keys, parts, q.eps), 'one per slice and column')) -%}
{{ return({
    'steps': steps,
    'ending': sqlmetrics.drift_select(q, own),
    'order': '\norder by\n    ' ~ ('slices.slice_id asc,\n    ' if own else '') ~ 'columns_told.column_id asc',
}) }}
{%- endmacro -%}

{#- Where a value is missing: NULL, or of a number NaN. -#}
{%- macro has_value(one) -%}
{{ return(one.canonical ~ ' is not null' if one.category else sqlmetrics.is_number(one.canonical) | replace('\n    ', ' ')) }}
{%- endmacro -%}

{%- macro rows_of_sides(q, rows, keys) -%}
{%- set items = [] -%}
{%- for name, model in {'n': 1, 'n_reference': 2}.items() -%}
{%- do items.append('cast(sum(case when model_id = ' ~ model ~ ' then 1 else 0 end) as bigint) as ' ~ name) -%}
{%- endfor -%}
{%- for one in q.told -%}
{%- for name, model in {'missing': 1, 'missing_reference': 2}.items() -%}
{%- set missing = 'sum(case when model_id = ' ~ model ~ ' and ' ~ sqlmetrics.fails(sqlmetrics.has_value(one)) ~ ' then weight else 0 end)' -%}
{%- do items.append(sqlmetrics.safe_divide(missing, 'sum(case when model_id = ' ~ model ~ ' then weight else 0 end)') ~ ' as ' ~ name ~ '_' ~ one.id) -%}
{%- endfor -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(keys + items) }}
from {{ rows }}
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}

{#- What each distinct value weighs in both relations; of a class no more is asked than that. -#}
{%- macro weights_at_values(rows, keys, told, ordered) -%}
{%- for one in told -%}
{%- set zero = sqlmetrics.to_double('0') -%}
select
    {{ sqlmetrics.lines(keys + [one.id ~ ' as column_id'] + ([one.canonical ~ ' as value'] if ordered else []) + [
        'count(*) as row_count',
        'sum(case when model_id = 1 then weight else ' ~ zero ~ ' end) as current_weight',
        'sum(case when model_id = 2 then weight else ' ~ zero ~ ' end) as reference_weight',
    ]) }}
from {{ rows }}
where weight > 0
    and {{ sqlmetrics.has_value(one) }}
{{- sqlmetrics.group_by(keys + [one.canonical]) }}
{%- if not loop.last %}
union all
{% endif -%}
{%- endfor -%}
{%- endmacro -%}

{%- macro number_ranges(column_keys) -%}
select
    {{ sqlmetrics.lines(column_keys + ['min(value) as lowest', 'max(value) as highest', 'sum(current_weight) as current_of_all', 'sum(reference_weight) as reference_of_all']) }}
from number_values
{{- sqlmetrics.group_by(column_keys) }}
{%- endmacro -%}

{#- The number of the bin of a value, of bins with equal shares of the reference. A value that has the share of a bin has one for itself:
    what lies below it in the reference, or came to lie there, would else be with it, as a feature that was 0 and is -1. -#}
{%- macro bin_of_reference(bins) -%}
{{ sqlmetrics.bin_of_equal_mass({'weighted': true}, bins, '(reference_to_here - reference_weight)', 'reference_of_all') }} + case when {{ bins }} * (reference_weight / nullif(reference_of_all, 0)) >= 1 - 1e-9 then 0.5 else 0 end
{%- endmacro -%}

{#- The distance of the two distribution functions at a value; with what it weighs itself, before it. -#}
{%- macro distance_of_shares(less={'current': '', 'reference': ''}) -%}
abs((current_to_here{{ less.current }}) / nullif(current_of_all, 0) - (reference_to_here{{ less.reference }}) / nullif(reference_of_all, 0))
{%- endmacro -%}

{#- The area between two distribution functions is Σ |d| (next value − value), which by parts is Σ value (|d| before − |d|): no row
    looks at the next one. The values are told as shares of their range, which costs no digits where that is far from 0; of a
    range that is infinite, or so small that its parts are none, there is no area. -#}
{%- macro placed_values(column_keys, bins) -%}
{%- set items = [] -%}
{%- for key in column_keys -%}{%- do items.append('sums.' ~ key ~ ' as ' ~ key) -%}{%- endfor -%}
{%- set reach = '(highest - lowest)' -%}
select
    {{ sqlmetrics.lines(items + [
        'current_weight / nullif(current_of_all, 0) as current_share',
        'reference_weight / nullif(reference_of_all, 0) as reference_share',
        sqlmetrics.distance_of_shares() ~ ' as distance',
        sqlmetrics.distance_of_shares({'current': ' - current_weight', 'reference': ' - reference_weight'}) ~ ' as distance_before',
        'case when lowest > -1e300 and highest < 1e300 then case when lowest = highest then 0 when ' ~ reach ~ ' > 1e-250 then ' ~ reach ~ ' end end as reach',
        'case when lowest > -1e300 and highest < 1e300 and ' ~ reach ~ ' > 1e-250 then case when value - lowest > 1e-30 * ' ~ reach ~ ' then (value - lowest) / ' ~ reach ~ ' else 0 end else 0 end as height',
        sqlmetrics.bin_of_reference(bins) ~ ' as bin',
    ]) }}
from running_weights as sums
inner join number_ranges as ranges
    on {{ sqlmetrics.same_keys('sums', 'ranges', column_keys) | join('\n    and ') }}
{%- endmacro -%}

{%- macro number_bins(column_keys) -%}
select
    {{ sqlmetrics.lines(column_keys + [
        'max(distance) as distance',
        'sum(height * (distance_before - distance)) as area',
        'max(reach) as reach',
        'sum(current_share) as current_share',
        'sum(reference_share) as reference_share',
    ]) }}
from placed_values
where distance is not null
{{- sqlmetrics.group_by(column_keys + ['bin']) }}
{%- endmacro -%}

{%- macro category_bins(column_keys) -%}
{%- set null = sqlmetrics.to_double('null') -%}
select
    {{ sqlmetrics.lines(column_keys + [
        null ~ ' as distance',
        null ~ ' as area',
        null ~ ' as reach',
        'current_weight / nullif(sum(current_weight) ' ~ sqlmetrics.over(column_keys) ~ ', 0) as current_share',
        'reference_weight / nullif(sum(reference_weight) ' ~ sqlmetrics.over(column_keys) ~ ', 0) as reference_share',
    ]) }}
from category_values
{%- endmacro -%}

{#- The part of a bin in the population stability index. -#}
{%- macro psi_of_shares(eps) -%}
{%- set current = 'greatest(current_share, ' ~ sqlmetrics.number(eps) ~ ')' -%}
{%- set reference = 'greatest(reference_share, ' ~ sqlmetrics.number(eps) ~ ')' -%}
({{ current }} - {{ reference }}) * ln({{ current }} / {{ reference }})
{%- endmacro -%}

{#- The part of a bin in Kullback and Leibler's divergence of one relation from the mean of both. -#}
{%- macro divergence_from_mean(share) -%}
case when {{ share }} > 0 then {{ share }} * ln(2 * {{ share }} / (current_share + reference_share)) else 0 end
{%- endmacro -%}

{%- macro drifts_of_columns(column_keys, parts, eps) -%}
{%- set selects = [] -%}
{%- for part in parts -%}
{%- do selects.append('select\n        ' ~ (column_keys + ['distance', 'area', 'reach', 'current_share', 'reference_share']) | join(',\n        ') ~ '\n    from ' ~ part) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(column_keys + [
        'sum(' ~ sqlmetrics.psi_of_shares(eps) ~ ') as psi',
        'max(distance) as ks_distance',
        'sqrt(greatest(sum(' ~ sqlmetrics.divergence_from_mean('current_share') ~ ' + ' ~ sqlmetrics.divergence_from_mean('reference_share') ~ ') / (2 * ln(2)), 0)) as jensen_shannon',
        'greatest(sum(area), 0) * max(reach) as wasserstein',
    ]) }}
from (
    {{ selects | join('\n    union all\n    ') }}
) as bins_of_columns
where current_share is not null
    and reference_share is not null
{{- sqlmetrics.group_by(column_keys) }}
{%- endmacro -%}

{%- macro drift_select(q, own) -%}
{%- set items = [] -%}
{%- if q.groupings -%}{%- do items.append(sqlmetrics.name_of_grouping(q, 'slices.grouping_id')) -%}{%- endif -%}
{%- for entry in q.by -%}{%- do items.append('slices.slice_' ~ loop.index ~ ' as ' ~ sqlmetrics.identifier(entry.name)) -%}{%- endfor -%}
{%- set cases = {'names': [], 'missing': [], 'missing_reference': []} -%}
{%- for one in q.told -%}
{%- set when = 'when ' ~ one.id ~ ' then ' -%}
{%- do cases.names.append(when ~ sqlmetrics.text_literal(one.name)) -%}
{%- for name in ['missing', 'missing_reference'] -%}{%- do cases[name].append(when ~ 'counted_rows.' ~ name ~ '_' ~ one.id) -%}{%- endfor -%}
{%- endfor -%}
{%- do items.append('case columns_told.column_id ' ~ cases.names | join(' ') ~ ' end as ' ~ sqlmetrics.identifier('column')) -%}
{%- for name in ['n', 'n_reference'] -%}{%- do items.append('coalesce(counted_rows.' ~ name ~ ', 0) as ' ~ name) -%}{%- endfor -%}
{%- for name in ['missing', 'missing_reference'] -%}
{%- do items.append(sqlmetrics.rounded('case columns_told.column_id ' ~ cases[name] | join(' ') ~ ' end', q.round) ~ ' as ' ~ name) -%}
{%- endfor -%}
{%- for name in sqlmetrics.results_of_drift() -%}{%- do items.append(sqlmetrics.rounded('drifts.' ~ name, q.round) ~ ' as ' ~ name) -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ 'slices' if own else 'counted_rows' }}
cross join (
    {{ sqlmetrics.indented(sqlmetrics.numbers(q.told | length, 'column_id')) }}
) as columns_told
{%- if own %}
left join counted_rows
    on slices.slice_id = counted_rows.slice_id
{%- endif %}
left join drifts
    on columns_told.column_id = drifts.column_id
{%- if own %}
    and slices.slice_id = drifts.slice_id
{%- endif -%}
{%- endmacro -%}
