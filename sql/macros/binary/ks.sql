{#-
title: Kolmogorov-Smirnov statistic
answers: [order, cut_off]
formula: largest TPR − FPR over the thresholds
frame: [ranked_scores, thresholds]
uses: [true_positives, totals, positives_alone]
label_type: binary
score: number
lower: 0
upper: 1
better: higher
undefined: NULL when one class is missing
oracle: scipy.stats.ks_2samp(positives, negatives, alternative='less')
source: Thomas, Edelman and Crook, Credit Scoring and Its Applications, 2002
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.5}
-#}
{#- A share times the number of rows is a count except for rounding errors, which a small class would amplify. -#}
{%- macro ks__value(m) -%}
max({{ sqlmetrics.ks__objective(m) }})
{%- endmacro -%}

{%- macro ks__objective(m) -%}
{%- set false_positives = 'false_positives' if m.frame == 'thresholds' else '(round((positives + negatives) * cumulative_share) - true_positives)' -%}
true_positives / nullif(positives, 0) - {{ false_positives }} / nullif(negatives, 0)
{%- endmacro -%}

{%- macro ks__at_optimal_threshold(m) -%}
{{ sqlmetrics.true_positives_at_threshold(m) }} / nullif({{ sqlmetrics.sum_of(m, 'pos') }}, 0) - {{ sqlmetrics.false_positives_at_threshold(m) }} / nullif({{ sqlmetrics.sum_of(m, 'neg') }}, 0)
{%- endmacro -%}
