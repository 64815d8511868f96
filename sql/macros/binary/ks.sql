{#-
title: Kolmogorov-Smirnov statistic
formula: largest TPR − FPR over the thresholds
frame: thresholds
uses: [totals]
truth: binary
score: number
range: 0 to 1, higher is better
undefined: NULL when one class is missing
oracle: scipy.stats.ks_2samp(positives, negatives, alternative='less')
source: Thomas, Edelman and Crook, Credit Scoring and Its Applications, 2002
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.5}
-#}
{%- macro ks__value(m) -%}
max(true_positives / nullif(positives, 0) - false_positives / nullif(negatives, 0))
{%- endmacro -%}
