{#-
title: Partial AUC, standardised
answers: [rare, order]
formula: ½·(1 + (A − m²/2) / (m − m²/2)), A the area under the ROC curve up to FPR = m
frame: thresholds
uses: [totals, above]
label_type: binary
score: number
lower: 0
upper: 1
better: higher
scale: 0.5 is chance
undefined: NULL when one class is missing
oracle: sklearn.metrics.roc_auc_score(max_fpr)
source: McClish, Medical Decision Making 9 (1989)
parameters:
  max_fpr: {type: number, required: true, minimum: 1.0e-6, maximum: 1, doc: 'm, the highest false positive rate of the area'}
names: {scikit-learn: "roc_auc_score(max_fpr)"}
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], call: partial_auc(max_fpr=0.25), result: 0.7143}
-#}
{#- Each distinct score is a straight segment of the curve; the last segment ends at m. -#}
{%- macro partial_auc__value(m) -%}
{%- set most = sqlmetrics.to_double(sqlmetrics.number(m.max_fpr)) -%}
{%- set start = 'false_positives_above / nullif(negatives, 0)' -%}
{%- set width = 'least(neg / nullif(negatives, 0), ' ~ most ~ ' - ' ~ start ~ ')' -%}
{%- set risen = 'pos / nullif(positives, 0)\n                            * (' ~ width ~ '\n                                / nullif(neg / nullif(negatives, 0), 0)) / 2' -%}
{%- set area = 'sum(case\n            when neg > 0 and ' ~ start ~ ' < ' ~ most ~ '\n                then ' ~ width ~ '\n                    * (true_positives_above / nullif(positives, 0)\n                        + ' ~ risen ~ ')\n        end)' -%}
{%- set chance = '(' ~ most ~ ' * ' ~ most ~ ' / 2)' -%}
0.5 * (1 + (
        {{ area }}
        - {{ chance }}
    ) / ({{ most }} - {{ chance }}))
{%- endmacro -%}
