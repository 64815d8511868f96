{#-
title: Best F1 over all thresholds
answers: [rare, cut_off]
formula: largest 2·TP / (2·TP + FN + FP) over the distinct scores
frame: thresholds
uses: [totals, positives_alone]
label_type: binary
score: number
columns: [max_f1, max_f1_threshold]
lower: 0
upper: 1
better: higher
undefined: NULL without positives
oracle: sklearn.metrics.precision_recall_curve
source: scikit-learn user guide, section 3.4.4
notes: max_f1_threshold is the highest score that reaches it (within 1e-12 for fractional weights).
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.8}
-#}
{#- With two levels, the best score of each cell comes first, then the best of these. With weights, values that differ by rounding
    errors count as equal, since these would choose the threshold otherwise. -#}
{%- macro max_f1__query(m, rows_from, keys) -%}
select
    {{ sqlmetrics.select_list(keys + ['f1 as ' ~ sqlmetrics.identifier(m.names['max_f1']), 'score as ' ~ sqlmetrics.identifier(m.names['max_f1_threshold'])]) }}
from (
    select
        {{ (keys + ['score', 'f1']) | join(',\n        ') }},
        row_number() {{ sqlmetrics.over(keys, sqlmetrics.max_f1__order(m)) }} as f1_rank
    from (
        {{ (sqlmetrics.max_f1__of_cells(m, rows_from, keys) if m.two_level else sqlmetrics.max_f1__of_scores(rows_from, keys)) | indent(8) }}
    ) as f1_of_scores
) as f1_in_order
where f1_rank = 1
{%- endmacro -%}

{%- macro max_f1__objective(m) -%}
2 * true_positives / nullif(positives + true_positives + false_positives, 0)
{%- endmacro -%}

{%- macro max_f1__at_optimal_threshold(m) -%}
2 * {{ sqlmetrics.true_positives_at_threshold(m) }} / nullif({{ sqlmetrics.sum_of(m, 'pos') }} + {{ sqlmetrics.true_positives_at_threshold(m) }} + {{ sqlmetrics.false_positives_at_threshold(m) }}, 0)
{%- endmacro -%}

{%- macro max_f1__order(m) -%}
{{ 'floor(f1 * 1e12 + 0.5) desc, score desc' if 'weight' in m.requires or 'total' in m.requires else 'f1 desc, score desc' }}
{%- endmacro -%}

{%- macro max_f1__of_scores(rows_from, keys) -%}
select
    {{ sqlmetrics.select_list(keys + ['score']) }},
    {{ sqlmetrics.max_f1__objective({}) }} as f1
from {{ rows_from }}
where pos > 0
{%- endmacro -%}

{%- macro max_f1__of_cells(m, rows_from, keys) -%}
select
    {{ sqlmetrics.select_list(keys + ['score', 'f1']) }}
from (
    select
        {{ (keys + ['score', 'f1']) | join(',\n        ') }},
        row_number() {{ sqlmetrics.over(keys + ['cell'], sqlmetrics.max_f1__order(m)) }} as f1_rank
    from (
        {{ sqlmetrics.max_f1__of_scores(rows_from, keys + ['cell']) | indent(8) }}
    ) as f1_of_all_scores
) as f1_in_cells
where f1_rank = 1
{%- endmacro -%}
