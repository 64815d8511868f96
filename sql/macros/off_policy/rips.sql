{#-
title: Reward interaction inverse propensity score estimate of slates
answers: [policy]
formula: mean over slates of Σ (Π_{j ≤ i} wⱼ)·rᵢ, wᵢ = target / propensity of place i
frame: slates
uses: [cascade]
roles: {group: required, rank: required, reward: required, propensity: required, target: required}
better: higher
scale: in the unit of the reward
undefined: NULL without slates
oracle: SlateRewardInteractionIPS of Open Bandit Pipeline, its formula in numpy
source: McInerney et al., KDD 2020 (arXiv 2007.12986)
notes: 'Unbiased if users look from top to bottom; propensity and target of a position are the probabilities of its item given the items above. Items of one position count together. A slate with a NULL reward, propensity or target is dropped as a whole.'
names: {Open Bandit Pipeline: "SlateRewardInteractionIPS"}
example: {group: [1, 1, 2, 2], rank: [1, 2, 1, 2], reward: [1, 0, 0, 1], propensity: [0.5, 0.25, 0.5, 0.5], target: [0.25, 0.5, 0.5, 0.75], result: 1.0}
-#}
{%- macro rips__value(m) -%}
{{ sqlmetrics.mean_of(m, 'reward_by_cascade') }}
{%- endmacro -%}
