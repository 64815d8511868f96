{#-
title: Matthews correlation coefficient
formula: (TP·TN − FP·FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN))
frame: rows
truth: binary
score: threshold
range: -1 to 1, 0 is chance, higher is better
undefined: NULL when one class or one call is missing (zero_division takes its place)
oracle: sklearn.metrics.matthews_corrcoef
source: Matthews, Biochimica et Biophysica Acta 405 (1975)
parameters: [threshold, zero_division]
names: {scikit-learn: "matthews_corrcoef"}
example: {label: [0, 1, 1, 0], score: [0.2, 0.7, 0.4, 0.1], result: 0.5774}
-#}
{#- Each square root is taken by itself: the product of four counts could overflow even a double. -#}
{%- macro mcc__value(m) -%}
{{ sqlmetrics.divided_or(
    m,
    '(' ~ sqlmetrics.true_positives(m) ~ ' * ' ~ sqlmetrics.true_negatives(m) ~ ' - ' ~ sqlmetrics.false_positives(m) ~ ' * ' ~ sqlmetrics.false_negatives(m) ~ ')',
    '(sqrt(' ~ sqlmetrics.rows_called_positive(m) ~ ') * sqrt(' ~ sqlmetrics.rows_called_negative(m) ~ ') * sqrt(' ~ sqlmetrics.positives(m) ~ ') * sqrt(' ~ sqlmetrics.negatives(m) ~ '))'
) }}
{%- endmacro -%}
