{#-
title: Inverse propensity score estimate of a policy's value
answers: [policy]
formula: mean of w·r, w = target / propensity
frame: logged_actions
roles: {reward: required, propensity: required, target: required, weight: optional}
better: higher
scale: in the unit of the reward
undefined: NULL without rows
oracle: InverseProbabilityWeighting of Open Bandit Pipeline, its formula in numpy
source: Horvitz and Thompson, JASA 47 (1952); Strehl et al., NeurIPS 2010
names: {Open Bandit Pipeline: "InverseProbabilityWeighting"}
example: {reward: [1, 0, 1, 0], propensity: [0.5, 0.5, 0.25, 0.25], target: [0.25, 0.5, 0.5, 0.0], result: 0.625}
-#}
{%- macro ips__value(m) -%}
{{ sqlmetrics.weighted_mean(m, '(' ~ sqlmetrics.importance() ~ ' * reward)') }}
{%- endmacro -%}
