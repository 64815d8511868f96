{#-
title: Switch doubly robust estimate
answers: [policy]
formula: mean of q_policy + [w ≤ max_weight]·w·(r − q_action), w = target / propensity
frame: logged_actions
roles: {reward: required, propensity: required, target: required, q_action: required, q_policy: required, weight: optional}
better: higher
scale: in the unit of the reward
undefined: NULL without rows
oracle: SwitchDoublyRobust(lambda_=max_weight) of Open Bandit Pipeline, its formula in numpy
source: Wang, Agarwal and Dudík, ICML 2017
parameters: [max_weight]
notes: Where the weight is larger, only the prediction counts.
names: {Open Bandit Pipeline: "SwitchDoublyRobust"}
example: {reward: [1, 0, 1, 0], propensity: [0.5, 0.5, 0.25, 0.25], target: [0.25, 0.5, 0.5, 0.0], q_action: [0.5, 0.5, 0.75, 0.25], q_policy: [0.5, 0.25, 0.75, 0.5], call: switch_dr(max_weight=1), result: 0.4375}
-#}
{%- macro switch_dr__value(m) -%}
{%- set weight = sqlmetrics.importance() -%}
{{ sqlmetrics.weighted_mean(m, '(q_policy\n        + case when ' ~ weight ~ ' <= ' ~ sqlmetrics.number(m.max_weight) ~ '\n            then ' ~ weight ~ ' * (reward - q_action) else 0 end)') }}
{%- endmacro -%}
