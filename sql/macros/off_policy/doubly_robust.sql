{#-
title: Doubly robust estimate of a policy's value
answers: [policy]
formula: mean of q_policy + w·(r − q_action), w = target / propensity
frame: logged_actions
roles: {reward: required, propensity: required, target: required, q_action: required, q_policy: required, weight: optional}
better: higher
scale: in the unit of the reward
undefined: NULL without rows
oracle: DoublyRobust of Open Bandit Pipeline, its formula in numpy
source: Dudík et al., Statistical Science 29 (2014)
names: {Open Bandit Pipeline: "DoublyRobust"}
example: {reward: [1, 0, 1, 0], propensity: [0.5, 0.5, 0.25, 0.25], target: [0.25, 0.5, 0.5, 0.0], q_action: [0.5, 0.5, 0.75, 0.25], q_policy: [0.5, 0.25, 0.75, 0.5], result: 0.5625}
-#}
{%- macro doubly_robust__value(m) -%}
{{ sqlmetrics.weighted_mean(m, '(q_policy + ' ~ sqlmetrics.importance() ~ ' * (reward - q_action))') }}
{%- endmacro -%}
