{#-
title: Matthews correlation coefficient
answers: [rare, calls]
formula: (TP·TN − FP·FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN))
frame: rows
label_type: binary
score: threshold
lower: -1
upper: 1
better: higher
scale: 0 is chance
undefined: NULL when one class or one predicted class is missing (zero_division replaces it)
oracle: sklearn.metrics.matthews_corrcoef
source: Matthews, Biochimica et Biophysica Acta 405 (1975)
parameters: [threshold, zero_division]
names: {scikit-learn: "matthews_corrcoef"}
example: {label: [0, 1, 1, 0], score: [0.2, 0.7, 0.4, 0.1], result: 0.5774}
-#}
{#- Separate square roots: the product of four counts could overflow a double. With weights even a product of two could, so cells are
    divided before they are multiplied. -#}
{%- macro mcc__value(m) -%}
{%- set tp = sqlmetrics.true_positives(m) -%}
{%- set tn = sqlmetrics.true_negatives(m) -%}
{%- set fp = sqlmetrics.false_positives(m) -%}
{%- set fn = sqlmetrics.false_negatives(m) -%}
{%- set called_positive = 'sqrt(' ~ sqlmetrics.rows_called_positive(m) ~ ')' -%}
{%- set called_negative = 'sqrt(' ~ sqlmetrics.rows_called_negative(m) ~ ')' -%}
{%- set positive = 'sqrt(' ~ sqlmetrics.positives(m) ~ ')' -%}
{%- set negative = 'sqrt(' ~ sqlmetrics.negatives(m) ~ ')' -%}
{%- if sqlmetrics.row_weight(m) -%}
{%- set shares = [] -%}
{%- for cell, called, label_type in [
    (tp, called_positive, positive), (tn, called_negative, negative), (fp, called_positive, negative), (fn, called_negative, positive),
] -%}
{%- do shares.append(cell ~ '\n        / nullif(' ~ called ~ ', 0)\n        / nullif(' ~ label_type ~ ', 0)') -%}
{%- endfor -%}
{%- set value = '(' ~ shares[0] ~ '\n    ) * (' ~ shares[1] ~ '\n    ) - (' ~ shares[2] ~ '\n    ) * (' ~ shares[3] ~ '\n    )' -%}
{{ value if m.zero_division is none else 'coalesce(' ~ value ~ ', ' ~ m.zero_division ~ ')' }}
{%- else -%}
{{ sqlmetrics.divided_or(
    m,
    '(\n    ' ~ tp ~ '\n        * ' ~ tn ~ '\n    - ' ~ fp ~ '\n        * ' ~ fn ~ '\n)',
    '(' ~ called_positive ~ '\n        * ' ~ called_negative ~ '\n        * ' ~ positive ~ ' * ' ~ negative ~ ')'
) }}
{%- endif -%}
{%- endmacro -%}
