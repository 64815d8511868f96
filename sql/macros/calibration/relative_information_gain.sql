{#-
title: Relative information gain
answers: [better, probabilities]
formula: 1 − log loss / −(q·ln q + (1 − q)·ln(1 − q)), q the slice's own rate of positives
frame: rows
label_type: binary
score: probability
upper: 1
better: higher
scale: 0 is as good as always predicting the rate
undefined: NULL when one class is missing
oracle: scikit-learn's log loss over the entropy of the rate
source: Graepel et al., ICML 2010; Yi et al., ADKDD 2013
parameters: [eps]
notes: 1 − normalized_entropy.
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.3186}
-#}
{%- macro relative_information_gain__value(m) -%}
1 - {{ sqlmetrics.normalized_entropy__value(m) }}
{%- endmacro -%}
