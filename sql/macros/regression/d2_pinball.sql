{#-
title: D², the share of the pinball loss that is explained
answers: [quantile, explained]
formula: 1 − Σ w·d(y, ŷ) / Σ w·d(y, q), d the pinball loss, q the quantile of the labels
frame: quantile_rows
label_type: number
score: number
upper: 1
better: higher
scale: 0 is as good as the best constant
undefined: NULL when the labels are constant, or, with force_finite, for a single row
oracle: sklearn.metrics.d2_pinball_score
source: Koenker and Machado, JASA 94 (1999)
notes: "`pinball` relative to the best constant prediction, so that labels of different units and quantiles are comparable."
parameters: [alpha, force_finite]
names: {scikit-learn: "d2_pinball_score"}
example: {label: [1, 2, 3], score: [1, 3, 3], call: d2_pinball(alpha=0.9), result: 0.6667}
-#}
{%- macro d2_pinball__value(m) -%}
{{ sqlmetrics.explained_share(m, sqlmetrics.sum_of(m, 'weight * (' ~ sqlmetrics.pinball_loss(m.alpha, 'score') ~ ')'), sqlmetrics.sum_of(m, 'weight * (' ~ sqlmetrics.pinball_loss(m.alpha, 'best_constant') ~ ')'), 2) }}
{%- endmacro -%}

{#- At its minimum, the loss has derivative 0 by the best constant. -#}
{%- macro d2_pinball__at_fixed_ranks(m) -%}
{{ sqlmetrics.d2_pinball__value(dict(m, force_finite=false)) }}
{%- endmacro -%}
