{#-
title: ordered classes
rows: one per class, in their order
identifiers: [class, class_rank, rank_from_mean]
perturbed: [label_weight, predicted_weight, label_below, predicted_below, distance, squared_distance, weight_of_all]
columns: class, class_rank (1 for the first class of any weight), rank_from_mean (from the mean rank of the labels), label_weight and predicted_weight (the rows of the class and the calls), label_below and predicted_below (those of the classes before it), distance and squared_distance (over the rows of the class, of their places to those of the calls, weighted), weight_of_all, row_count
-#}

{#- A class without weight takes no class_rank, so rows of weight 0 change nothing. The windows run over classes, not over rows. -#}
{%- macro ordered_classes(f, rows_from, keys) -%}
{%- set class_ranks = 'class_ranks' ~ f.suffix -%}
{%- set in_order = sqlmetrics.key_order('class', 'asc') -%}
{%- set before = sqlmetrics.over(keys, in_order ~ ' rows between unbounded preceding and 1 preceding') -%}
{%- set distance = sqlmetrics.to_double('labels.class_rank - calls.class_rank') -%}
{{ sqlmetrics.class_counts(dict(f, cte='class_weights' ~ f.suffix, rows='one per class, of the labels and of the calls', uses=[]), rows_from, keys) }}
{{ sqlmetrics.cte(class_ranks, 'one per class, with its class_rank among them', materialized=true) }}
select
    {{- sqlmetrics.leading(keys + ['class']) }}
    tp + fn as label_weight,
    tp + fp as predicted_weight,
    sum(case when tp + fn + fp > 0 then 1 else 0 end) {{ sqlmetrics.over(keys, in_order ~ ' rows unbounded preceding') }} as class_rank,
    coalesce(sum(tp + fn) {{ before }}, 0) as label_below,
    coalesce(sum(tp + fp) {{ before }}, 0) as predicted_below,
    sum(tp + fn) {{ sqlmetrics.over(keys) }} as weight_of_all,
    row_count
from class_weights{{ f.suffix }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys + ['class', 'class_rank'], 'classes') }}
    classes.class_rank
        - sum(classes.class_rank * (classes.label_weight / nullif(classes.weight_of_all, 0))) {{ sqlmetrics.over(sqlmetrics.keys_alone('classes', keys)) }}
        as rank_from_mean,
    {{- sqlmetrics.leading(['label_weight', 'predicted_weight', 'label_below', 'predicted_below'], 'classes') }}
    coalesce(distances.distance, 0) as distance,
    coalesce(distances.squared_distance, 0) as squared_distance,
    classes.weight_of_all as weight_of_all,
    classes.row_count as row_count
from {{ class_ranks }} as classes
left join (
    select
        {{- sqlmetrics.leading(keys, 'pairs', depth=2) }}
        pairs.label_class as class,
        sum(pairs.weight * abs({{ distance }})) as distance,
        sum(
            pairs.weight * {{ distance }}
            * {{ distance }}
        ) as squared_distance
    from class_pairs{{ f.suffix }} as pairs
    inner join {{ class_ranks }} as labels{{ sqlmetrics.on('pairs', 'labels', keys, ['pairs.label_class = labels.class'], depth=2) }}
    inner join {{ class_ranks }} as calls{{ sqlmetrics.on('pairs', 'calls', keys, ['pairs.predicted_class = calls.class'], depth=2) }}
    {{- sqlmetrics.indented(sqlmetrics.group_by(sqlmetrics.keys_alone('pairs', keys + ['label_class']))) }}
) as distances{{ sqlmetrics.on('classes', 'distances', keys, ['classes.class = distances.class']) }}
{%- endmacro -%}

{#- A row adds to its label class, to its predicted class, and to the sums below later classes. A small shift of the mean class_rank hardly
    changes the squares. -#}
{%- macro ordered_classes__perturbed(f, metrics, keys) -%}
{%- set of_ranks = f.cte ~ '_derivatives_of_ranks' -%}
{%- set behind = sqlmetrics.over(keys, sqlmetrics.key_order('own_class', 'asc') ~ ' rows between 1 following and unbounded following') -%}
{%- set distance = sqlmetrics.to_double('labels.own_class_rank - calls.own_class_rank') -%}
{%- set influences = {} -%}
{%- for m in metrics -%}
{%- set influence -%}
scored.weight * (
        {{ sqlmetrics.derivative(m, 'labels.weight_of_all') }}
{%- for step, column, times in [
    ('labels', 'label_weight', ''),
    ('calls', 'predicted_weight', ''),
    ('labels', 'label_below', ''),
    ('calls', 'predicted_below', ''),
    ('labels', 'distance', ' * abs(' ~ distance ~ ')'),
    ('labels', 'squared_distance', '\n            * ' ~ distance ~ '\n            * ' ~ distance),
] if column in m.perturbed %}
        + {{ sqlmetrics.derivative(m, step ~ '.' ~ column) ~ times }}
{%- endfor %}
    )
{%- endset -%}
{%- do influences.update({m.number: influence}) -%}
{%- endfor -%}
{%- set derivatives_of_ranks -%}
select
    {{ sqlmetrics.select_list(keys + ['own_class', 'own_class_rank', 'own_rank_from_mean']) }}
{%- for m in metrics %}
{%- for column in m.perturbed %}
{%- set derivative = 'derivative_' ~ m.number ~ '_' ~ column %},
    {{ 'coalesce(sum(' ~ derivative ~ ') ' ~ behind ~ ', 0) as ' ~ derivative if column in ['label_below', 'predicted_below'] else derivative }}
{%- endfor %}
{%- endfor %}
from {{ f.cte }}_derivatives
{%- endset -%}
{%- set rows = sqlmetrics.derivatives_of_classes(f, metrics, keys, of_ranks) -%}
{{ return(dict(rows, influences=influences, steps=[sqlmetrics.step(of_ranks, derivatives_of_ranks, 'partial derivatives; those of the sums below a class include all later classes', materialized=true)] + rows.steps)) }}
{%- endmacro -%}
