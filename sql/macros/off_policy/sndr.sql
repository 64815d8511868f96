{#-
title: Self-normalised doubly robust estimate
answers: [policy]
formula: mean of q_policy + Σ w·(r − q_action) / Σ w, w = target / propensity
frame: logged_actions
roles: {reward: required, propensity: required, target: required, q_action: required, q_policy: required, weight: optional}
better: higher
scale: in the unit of the reward
undefined: NULL where the target policy chooses none of the logged actions
oracle: SelfNormalizedDoublyRobust of Open Bandit Pipeline, its formula in numpy
source: Thomas and Brunskill, ICML 2016; Kallus and Uehara, NeurIPS 2019
names: {Open Bandit Pipeline: "SelfNormalizedDoublyRobust"}
example: {reward: [1, 0, 1, 0], propensity: [0.5, 0.5, 0.25, 0.25], target: [0.25, 0.5, 0.5, 0.0], q_action: [0.5, 0.5, 0.75, 0.25], q_policy: [0.5, 0.25, 0.75, 0.5], result: 0.5714}
-#}
{%- macro sndr__value(m) -%}
{{ sqlmetrics.weighted_mean(m, 'q_policy') }}
    + {{ sqlmetrics.safe_divide(sqlmetrics.weighted_sum(m, '(' ~ sqlmetrics.importance() ~ ' * (reward - q_action))'), sqlmetrics.weighted_sum(m, sqlmetrics.importance())) }}
{%- endmacro -%}
