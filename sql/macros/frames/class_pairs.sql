{#-
title: class pairs
rows: one per pair of true and predicted class
slices: columns
state: {keys: [label_class, predicted_class], sums: {weight: weight}}
columns: label_class, predicted_class, weight, row_count
-#}

{%- macro class_pairs(f, rows_from, keys) -%}
{%- set class_pairs -%}
select
    {{ sqlmetrics.lines(keys + ['label_class', 'predicted_class', 'sum(weight) as weight']) }},
    {{ sqlmetrics.rows_added_up(f) }} as row_count
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys + ['label_class', 'predicted_class']) }}
{%- endset -%}
{{ return([sqlmetrics.step(f.cte, class_pairs, 'one per pair of true and predicted class', [rows_from], stored=true)]) }}
{%- endmacro -%}

{#- What one more row of each pair of classes does to the metrics, of which a row of the log finds that of its own: `pulls` holds what
    more of each column of a class does, in `labels` that of the label, in `calls` of the prediction, in `totals` all classes
    together. -#}
{%- macro moved_cells(f, metrics, keys, class_pairs, pulls, influences) -%}
{%- set cells = f.cte ~ '_cells' -%}
{%- set items = sqlmetrics.keys_of('pairs', keys) + ['pairs.label_class as own_label', 'pairs.predicted_class as own_call'] -%}
{%- set moved = {} -%}
{%- set totals = [] -%}
{%- for m in metrics -%}
{%- do items.append(influences[m.number] ~ ' as pull_' ~ m.number) -%}
{%- do moved.update({m.number: 'scored.weight * cells.pull_' ~ m.number}) -%}
{%- if 'weight_of_all' in m.moved -%}{%- do totals.append('sum(pull_' ~ m.number ~ '_weight_of_all) as pull_' ~ m.number ~ '_weight_of_all') -%}{%- endif -%}
{%- endfor -%}
{%- set same_totals = sqlmetrics.same_keys('pairs', 'totals', keys) -%}
{%- set pulls_of_pairs -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ class_pairs }} as pairs
inner join {{ pulls }} as labels
    on {{ (sqlmetrics.same_keys('pairs', 'labels', keys) + ['pairs.label_class = labels.own_class']) | join('\n    and ') }}
inner join {{ pulls }} as calls
    on {{ (sqlmetrics.same_keys('pairs', 'calls', keys) + ['pairs.predicted_class = calls.own_class']) | join('\n    and ') }}
{%- if totals %}
inner join (
    select
        {{ (keys + totals) | join(',\n        ') }}
    from {{ pulls }}
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys)) }}
) as totals
    on {{ same_totals | join('\n    and ') if same_totals else '1 = 1' }}
{%- endif -%}
{%- endset -%}
{{ return({
    'steps': [sqlmetrics.step(cells, pulls_of_pairs, 'one per pair of true and predicted class: what one more row of it does', [class_pairs, pulls, pulls] + ([pulls] if totals else []), stored=true)],
    'from': cells,
    'as': 'cells',
    'same': ['scored.label_class = cells.own_label', 'scored.predicted_class = cells.own_call'],
    'influences': moved,
}) }}
{%- endmacro -%}

{#- How many rows of the log there are: where those that are read are parts of a state (f.of_parts), each counts its own. -#}
{%- macro rows_added_up(f) -%}
{{ 'sum(row_count)' if f.of_parts else 'count(*)' }}
{%- endmacro -%}
