{#-
title: Unbiased discounted cumulative gain
answers: [top, policy]
formula: Σ gain(relᵢ) / propensityᵢ · discount(i) over the first k items of the new order, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
relations: [propensities]
uses: [propensity, gaining_items]
lower: 0
better: higher
undefined: a group without any gain (labels of 0, or with gain='binary' no relevant item) counts as 0, see empty; NULL without groups
oracle: numpy
source: Jeunen, Potapov and Ustimenko, KDD 2024; Joachims, Swaminathan and Schnabel, WSDM 2017
notes: The reward that a new score would have had, from clicks (label) on lists of another model. propensity is the probability that the user saw the item at its logged position. Pass it as a column, or pass position to look it up in the relation propensities; other positions have none. A judged item that was not logged has none, and adds nothing.
parameters:
  k: frame
  gain: frame
  discount: frame
  ties: [worst, best, key]
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty:
    default: zero
    choices: {skip: dropped from the mean, zero: counts as 0, one: counts as 1}
    doc: what a group without any gain counts as; dropping groups without a click biases the mean
example: {label: [1, 0, 1], score: [3, 2, 1], propensity: [0.5, 1, 0.25], group: [1, 1, 1], result: 4.0}
-#}
{%- macro unbiased_dcg__per_group(m) -%}
{{ sqlmetrics.when_any_gain(sqlmetrics.own_gain(m), sqlmetrics.discounted_sum(m, sqlmetrics.own_gain(m) ~ ' / propensity')) }}
{%- endmacro -%}
