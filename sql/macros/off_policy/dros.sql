{#-
title: Doubly robust estimate with optimistic shrinkage
answers: [policy]
formula: mean of q_policy + λ·w/(w² + λ)·(r − q_action), w = target / propensity, λ the shrinkage
frame: logged_actions
roles: {reward: required, propensity: required, target: required, q_action: required, q_policy: required, weight: optional}
better: higher
scale: in the unit of the reward
undefined: NULL without rows
oracle: DoublyRobustWithShrinkage(lambda_=shrinkage) of Open Bandit Pipeline, its formula in numpy
source: Su et al., ICML 2020
parameters:
  shrinkage: {type: number, required: true, minimum: 0, maximum: 1.0e+100, doc: 'λ: 0 is the direct method; values far above the squared weights are doubly robust'}
names: {Open Bandit Pipeline: "DoublyRobustWithShrinkage"}
example: {reward: [1, 0, 1, 0], propensity: [0.5, 0.5, 0.25, 0.25], target: [0.25, 0.5, 0.5, 0.0], q_action: [0.5, 0.5, 0.75, 0.25], q_policy: [0.5, 0.25, 0.75, 0.5], call: dros(shrinkage=4), result: 0.5213}
-#}
{#- With shrinkage 0, a target probability of 0 would be 0 / 0. -#}
{%- macro dros__value(m) -%}
{%- set weight = sqlmetrics.importance() -%}
{%- set shrinkage = sqlmetrics.to_double(sqlmetrics.number(m.shrinkage)) -%}
{%- set shrunk = 'coalesce(' ~ shrinkage ~ ' * ' ~ weight ~ '\n            / nullif(' ~ weight ~ ' * ' ~ weight ~ ' + ' ~ shrinkage ~ ', 0), 0)' -%}
{{ sqlmetrics.weighted_mean(m, '(q_policy\n        + ' ~ shrunk ~ '\n            * (reward - q_action))') }}
{%- endmacro -%}
