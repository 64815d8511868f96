{#-
title: Inverse propensity score estimate of whole slates
answers: [policy]
formula: mean over slates of (Π wᵢ)·Σ rᵢ, wᵢ = target / propensity of place i
frame: slates
roles: {group: required, reward: required, propensity: required, target: required}
better: higher
scale: in the unit of the reward
undefined: NULL without slates
oracle: SlateStandardIPS of Open Bandit Pipeline, its formula in numpy
source: Swaminathan et al., NeurIPS 2017; McInerney et al., KDD 2020
notes: 'Unbiased without assumptions on the reward, with a large variance; propensity and target of a position are the probabilities of its item given the items above. A slate with a NULL reward, propensity or target is dropped as a whole.'
names: {Open Bandit Pipeline: "SlateStandardIPS"}
example: {group: [1, 1, 2, 2], reward: [1, 0, 0, 1], propensity: [0.5, 0.25, 0.5, 0.5], target: [0.25, 0.5, 0.5, 0.75], result: 1.25}
-#}
{%- macro sips__value(m) -%}
{{ sqlmetrics.mean_of(m, 'case when total_reward <> 0 then importance * total_reward else 0 end') }}
{%- endmacro -%}
