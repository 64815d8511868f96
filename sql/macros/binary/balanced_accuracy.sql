{#-
title: Balanced accuracy
answers: [rare, calls]
formula: (TPR + TNR) / 2
frame: rows
label_type: binary
score: threshold
lower: 0
upper: 1
better: higher
scale: 0.5 is chance
undefined: NULL when one class is missing (see one_class)
oracle: sklearn.metrics.balanced_accuracy_score
source: scikit-learn user guide, section 3.4.4
parameters:
  threshold: frame
  one_class:
    default: 'null'
    choices: {'null': 'NULL', recall: the recall of the other class}
    doc: the value when one class is missing
    presets: {sklearn: recall}
    used_by: {recall: scikit-learn}
names: {scikit-learn: "balanced_accuracy_score"}
example: {label: [0, 1, 1, 0], score: [0.6, 0.7, 0.4, 0.1], result: 0.5}
-#}
{%- macro balanced_accuracy__value(m) -%}
{%- set of_positives = sqlmetrics.safe_divide(sqlmetrics.true_positives(m), sqlmetrics.positives(m)) -%}
{%- set of_negatives = sqlmetrics.safe_divide(sqlmetrics.true_negatives(m), sqlmetrics.negatives(m)) -%}
{%- if m.one_class == 'null' -%}
(
    {{ of_positives }}
    + {{ of_negatives }}
) / 2
{%- else -%}
coalesce(
    (
        {{ of_positives }}
        + {{ of_negatives }}
    ) / 2,
    {{ of_positives }},
    {{ of_negatives }}
)
{%- endif -%}
{%- endmacro -%}
