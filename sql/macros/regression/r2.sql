{#-
title: Coefficient of determination, R²
answers: [explained]
formula: 1 − Σ w(y − ŷ)² / Σ w(y − ȳ)²
frame: centred_rows
label_type: number
score: number
upper: 1
better: higher
scale: 0 is as good as the mean
undefined: NULL when the labels are constant, or, with force_finite, for a single row
oracle: sklearn.metrics.r2_score
source: scikit-learn user guide, section 3.4.6
parameters: [force_finite]
names: {scikit-learn: "r2_score"}
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 0.9486}
-#}
{%- macro r2__value(m) -%}
{{ sqlmetrics.explained_share(m, sqlmetrics.sum_of(m, 'weight * ' ~ sqlmetrics.square('(label - score)')), sqlmetrics.sum_around_mean(m, 'label', 'mean_label'), 2) }}
{%- endmacro -%}

{%- macro r2__at_fixed_ranks(m) -%}
1 - {{ sqlmetrics.sum_of(m, 'weight * ' ~ sqlmetrics.square('(label - score)')) }} / nullif({{ sqlmetrics.sum_around_fixed_mean(m, 'label', 'mean_label') }}, 0)
{%- endmacro -%}
