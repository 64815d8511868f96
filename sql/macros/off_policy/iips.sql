{#-
title: Independent inverse propensity score estimate of slates
answers: [policy]
formula: mean over slates of Σ wᵢ·rᵢ, wᵢ = target / propensity of place i
frame: slates
roles: {group: required, reward: required, propensity: required, target: required}
better: higher
scale: in the unit of the reward
undefined: NULL without slates
oracle: SlateIndependentIPS of Open Bandit Pipeline, its formula in numpy
source: Li et al., KDD 2018 (arXiv 1804.10488)
notes: 'Unbiased if the reward of a position depends on its own item only; propensity and target are the probabilities of that item at that position. A slate with a NULL reward, propensity or target is dropped as a whole.'
names: {Open Bandit Pipeline: "SlateIndependentIPS"}
example: {group: [1, 1, 2, 2], reward: [1, 0, 0, 1], propensity: [0.5, 0.25, 0.5, 0.5], target: [0.25, 0.5, 0.5, 0.75], result: 1.0}
-#}
{%- macro iips__value(m) -%}
{{ sqlmetrics.mean_of(m, 'reward_by_item') }}
{%- endmacro -%}
