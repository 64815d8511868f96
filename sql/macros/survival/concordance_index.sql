{#-
title: Concordance index (Harrell's C)
answers: [order, sooner]
formula: of the pairs of rows of which one has the event, and the other lasts longer, or as long without it, the share in which the first has the higher score, ties half; a pair weighs w₁·w₂
frame: duration_blocks
label_type: binary
score: number
roles: {duration: required}
lower: 0
upper: 1
better: higher
scale: 0.5 is chance
undefined: NULL without such a pair
oracle: concordance_index_censored of scikit-survival; all pairs in numpy, where rows are weighted
source: Harrell et al., JAMA 247 (1982)
notes: "The score is a risk: the higher, the sooner the event is expected. For predicted durations pass `score='=-predicted'`. The label is 1 if the event was observed, and 0 for a censored row. Two events of the same duration are not a pair. Also called the c-index."
names: {scikit-survival: "concordance_index_censored", lifelines: "concordance_index (of −score)"}
example: {label: [1, 0, 1, 1], score: [0.9, 0.4, 0.4, 0.6], duration: [2, 3, 4, 6], result: 0.75}
-#}
{%- macro concordance_index__value(m) -%}
{{ sqlmetrics.safe_divide('sum(won)', 'sum(pairs)') }}
{%- endmacro -%}
