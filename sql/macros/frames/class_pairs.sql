{#-
title: class pairs
rows: one per pair of true and predicted class
slices: columns
state: {keys: [label_class, predicted_class], sums: {weight: weight}}
columns: label_class, predicted_class, weight, row_count
-#}

{%- macro class_pairs(f, rows_from, keys) -%}
{{ sqlmetrics.cte(f.cte, 'one per pair of true and predicted class', materialized=true) }}
{{ sqlmetrics.sums_by(keys + ['label_class', 'predicted_class'], ['sum(weight) as weight'], rows_from, f.where, sqlmetrics.rows_added_up(f)) }}
{%- endmacro -%}

{#- Joins derivatives (partial derivatives) to rows, `scored`: `labels` by label class, `calls` by predicted class. Each row changes
    `weight_of_all` of all classes, so those derivatives are summed over the classes. -#}
{%- macro derivatives_of_classes(f, metrics, keys, derivatives) -%}
{%- set totals = [] -%}
{%- for m in metrics if 'weight_of_all' in m.perturbed -%}{%- do totals.append('sum(derivative_{0}_weight_of_all) as derivative_{0}_weight_of_all' | replace('{0}', m.number)) -%}{%- endfor -%}
{%- set derivatives_of_all -%}
select{{ sqlmetrics.broadcast('totals') }}
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('own', keys) + sqlmetrics.for_each(f.identifiers, 'own.own_{0} as own_{0}')) }}
{%- for m in metrics %}
{%- for column in m.perturbed %},
    {{ 'totals' if column == 'weight_of_all' else 'own' }}.derivative_{{ m.number }}_{{ column }} as derivative_{{ m.number }}_{{ column }}
{%- endfor %}
{%- endfor %}
from {{ derivatives }} as own
inner join (
    select
        {{ (keys + totals) | join(',\n        ') }}
    from {{ derivatives }}
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys)) }}
) as totals{{ sqlmetrics.on('own', 'totals', keys) }}
{%- endset -%}
{%- set shared = [sqlmetrics.step(f.cte ~ '_derivatives_of_all', derivatives_of_all, 'partial derivatives, summed over classes for weight_of_all', materialized=true)] if totals else [] -%}
{%- set step = shared[0].name if totals else derivatives -%}
{{ return({'steps': shared, 'joined': [
    {'step': step, 'as': 'labels', 'same': ['scored.label_class = labels.own_class']},
    {'step': step, 'as': 'calls', 'same': ['scored.predicted_class = calls.own_class']},
]}) }}
{%- endmacro -%}

{#- The number of rows of the log; the parts of a state (f.of_parts) have their own row counts. -#}
{%- macro rows_added_up(f) -%}{{ 'sum(row_count)' if f.of_parts else 'count(*)' }}{%- endmacro -%}
