{#-
title: D², the share of the absolute error that is explained
answers: [explained]
formula: 1 − Σ w|y − ŷ| / Σ w|y − median of the labels|
frame: quantile_rows
label_type: number
score: number
upper: 1
better: higher
scale: 0 is as good as the median
undefined: NULL when the labels are constant, or, with force_finite, for a single row
oracle: sklearn.metrics.d2_absolute_error_score
source: Hastie, Tibshirani and Wainwright, Statistical Learning with Sparsity, 2015
notes: The analogue of `r2` for the absolute error, less sensitive to a few large labels.
parameters: [force_finite]
names: {scikit-learn: "d2_absolute_error_score"}
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 0.7647}
-#}
{%- macro d2_absolute_error__value(m) -%}
{{ sqlmetrics.explained_share(m, sqlmetrics.sum_of(m, 'weight * abs(label - score)'), sqlmetrics.sum_of(m, 'weight * abs(label - best_constant)'), 2) }}
{%- endmacro -%}

{#- At its minimum, the loss has derivative 0 by the best constant. -#}
{%- macro d2_absolute_error__at_fixed_ranks(m) -%}
{{ sqlmetrics.d2_absolute_error__value(dict(m, force_finite=false)) }}
{%- endmacro -%}
