{#-
title: Unbiased normalised discounted cumulative gain
answers: [top, policy]
formula: Σ gain(relᵢ) / propensityᵢ · discount(i) over the first k items of the new order / the most that there can be, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
relations: [propensities]
uses: [propensity, weighted_ideal, gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any gain (labels of 0, or with gain='binary' no relevant item), see empty; NULL without groups
oracle: numpy
source: Jeunen, Potapov and Ustimenko, KDD 2024; Yang and others, RecSys 2018 (self-normalised)
notes: propensity is the probability that the user saw the item at its logged position. Pass it as a column, or pass position to look it up in the relation propensities; other positions have none. The quotient of a group is biased with either divisor; it varies less than unbiased_dcg.
parameters:
  k: frame
  normalized_by:
    default: ideal
    choices: {ideal: the same sum of the best order, weights: 'the sum of gain / propensity of all items (self-normalised)'}
    doc: the divisor of the sum of a group
  gain: frame
  discount: frame
  ties: [worst, best, key]
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty: frame
example: {label: [1, 0, 1], score: [3, 2, 1], position: [2, 1, 3], group: [1, 1, 1], propensities: {position: [1, 2, 3], propensity: [1, 0.5, 0.25]}, result: 0.7602}
-#}
{%- macro unbiased_ndcg__per_group(m) -%}
{%- set gain = sqlmetrics.own_gain(m) ~ ' / propensity' -%}
{%- set most = sqlmetrics.discounted_sum(m, gain, 'ideal_rank_of_' ~ m.gain) if m.normalized_by == 'ideal' else sqlmetrics.sum_within(gain, 'item_rank', none) -%}
{%- set quotient -%}
coalesce(
    {{ sqlmetrics.indented(sqlmetrics.discounted_sum(m, gain)) }}
    / nullif({{ sqlmetrics.indented(most) }}, 0),
    0
)
{%- endset -%}
{{ sqlmetrics.when_any_gain(sqlmetrics.own_gain(m), quotient) }}
{%- endmacro -%}
