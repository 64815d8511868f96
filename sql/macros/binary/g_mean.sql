{#-
title: Geometric mean of the two class rates
answers: [rare, calls]
formula: √(TPR·TNR)
frame: rows
label_type: binary
score: threshold
lower: 0
upper: 1
better: higher
undefined: NULL when a factor is undefined
oracle: by hand
source: Kubat and Matwin, ICML 1997 (the rates); the precisions by definition, without a root, as some course notes have them
parameters:
  form:
    default: rates
    choices: {rates: √(TPR·TNR), precisions: 'precision of the positive class × precision of the negative class, without a root'}
    doc: which of two common definitions
  threshold: frame
example: {label: [0, 1, 1, 0], score: [0.6, 0.7, 0.4, 0.1], result: 0.5}
-#}
{%- macro g_mean__value(m) -%}
{%- if m.form == 'rates' -%}
sqrt(
    {{ sqlmetrics.safe_divide(sqlmetrics.true_positives(m), sqlmetrics.positives(m)) }}
    * {{ sqlmetrics.safe_divide(sqlmetrics.true_negatives(m), sqlmetrics.negatives(m)) }}
)
{%- else -%}
{{ sqlmetrics.safe_divide(sqlmetrics.true_positives(m), sqlmetrics.rows_called_positive(m)) }}
    * {{ sqlmetrics.safe_divide(sqlmetrics.true_negatives(m), sqlmetrics.rows_called_negative(m)) }}
{%- endif -%}
{%- endmacro -%}
