{#-
title: Explained variance
answers: [explained]
formula: 1 − Σ w(e − ē)² / Σ w(y − ȳ)², e = y − ŷ
frame: centred_rows
uses: [mean_error]
label_type: number
score: number
upper: 1
better: higher
scale: 0 is as good as a constant
undefined: NULL when the labels are constant, unless force_finite; constant errors are exact there
oracle: sklearn.metrics.explained_variance_score
source: scikit-learn user guide, section 3.4.6
notes: The r2 of predictions after subtracting their bias.
parameters: [force_finite]
names: {scikit-learn: "explained_variance_score"}
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 0.9572}
-#}
{%- macro explained_variance__value(m) -%}
{{ sqlmetrics.explained_share(m, sqlmetrics.sum_around_mean(m, 'label - score', 'mean_error'), sqlmetrics.sum_around_mean(m, 'label', 'mean_label'), 1) }}
{%- endmacro -%}

{%- macro explained_variance__at_fixed_ranks(m) -%}
1 - {{ sqlmetrics.sum_around_fixed_mean(m, 'label - score', 'mean_error') }} / nullif({{ sqlmetrics.sum_around_fixed_mean(m, 'label', 'mean_label') }}, 0)
{%- endmacro -%}
