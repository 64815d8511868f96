{#-
title: Cohen's kappa
answers: [classes]
formula: (pₒ − pₑ) / (1 − pₑ), pₒ the share of rows that agree, pₑ that of chance by the margins
frame: class_counts
uses: [totals]
label_type: class
score: class
lower: -1
upper: 1
better: higher
scale: 0 is chance
undefined: NULL when every label and every prediction is of one class
oracle: sklearn.metrics.cohen_kappa_score
source: Cohen, Educational and Psychological Measurement 20 (1960)
names: {scikit-learn: "cohen_kappa_score"}
example: {label: [a, a, b, c], prediction: [a, b, b, c], result: 0.6364}
-#}
{%- macro cohens_kappa__value(m) -%}
({{ sqlmetrics.agreement_beyond_chance(m) }})
    / nullif({{ sqlmetrics.disagreement_by_chance(m, 'fn', 'fp') }}, 0)
{%- endmacro -%}
