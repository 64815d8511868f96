{#-
title: Cohen's kappa
answers: [classes]
formula: (pₒ − pₑ) / (1 − pₑ), pₒ the share of rows that agree, pₑ that of chance by the margins
frame: class_counts
uses: [totals]
truth: class
score: class
range: -1 to 1, 0 is chance, higher is better
undefined: NULL when every label and every call is of one class
oracle: sklearn.metrics.cohen_kappa_score
source: Cohen, Educational and Psychological Measurement 20 (1960)
names: {scikit-learn: "cohen_kappa_score"}
example: {label: [a, a, b, c], prediction: [a, b, b, c], result: 0.6364}
-#}
{#- In shares of the weight: the square of a weight may be too large or too small for a double. -#}
{%- macro cohens_kappa__value(m) -%}
{%- set by_chance = sqlmetrics.sum_of(m, '(tp + fn) / nullif(weight_of_all, 0) * ((tp + fp) / nullif(weight_of_all, 0))') -%}
{{ sqlmetrics.safe_divide('(' ~ sqlmetrics.sum_of(m, 'tp / nullif(weight_of_all, 0)') ~ ' - ' ~ by_chance ~ ')', '(1 - ' ~ by_chance ~ ')') }}
{%- endmacro -%}
