{#-
title: D², the share of the Tweedie deviance that is explained
answers: [explained]
formula: 1 − Σ w·d(y, ŷ) / Σ w·d(y, ȳ), d the Tweedie deviance
frame: centred_rows
label_type: number
score: number
upper: 1
better: higher
scale: 0 is as good as the mean
undefined: NULL when the labels are constant; a label below 0 or a prediction of 0 or less is an error
rules:
  - {column: label, keeps: label >= 0, message: is negative}
  - {column: score, keeps: score > 0, message: 'is 0 or less, which has no logarithm'}
oracle: sklearn.metrics.d2_tweedie_score
source: Hastie, Tibshirani and Wainwright, Statistical Learning with Sparsity, 2015
parameters:
  power: {type: number, default: 1.5, minimum: 1, maximum: 1.99, doc: 'p: 1 is Poisson; with 0 it would be r2'}
names: {scikit-learn: "d2_tweedie_score(power=1.5)"}
example: {label: [0, 1, 2, 4], score: [0.5, 1.0, 2.0, 3.0], result: 0.5734}
-#}
{%- macro d2_tweedie__value(m) -%}
1 - {{ sqlmetrics.sum_of(m, 'weight * ' ~ sqlmetrics.deviance('score', m.power)) }} / nullif({{ sqlmetrics.sum_around_mean(m, 'label', 'mean_label', m.power) }}, 0)
{%- endmacro -%}

{%- macro d2_tweedie__at_fixed_ranks(m) -%}
1 - {{ sqlmetrics.sum_of(m, 'weight * ' ~ sqlmetrics.deviance('score', m.power)) }} / nullif({{ sqlmetrics.sum_around_fixed_mean(m, 'label', 'mean_label', m.power) }}, 0)
{%- endmacro -%}
