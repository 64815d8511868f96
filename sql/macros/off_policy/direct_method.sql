{#-
title: Direct method estimate of a policy's value
answers: [policy]
formula: mean of q_policy, what a model of the reward predicts of the policy
frame: logged_actions
roles: {q_policy: required, weight: optional}
better: higher
scale: in the unit of the reward
undefined: NULL without rows
oracle: DirectMethod of Open Bandit Pipeline, its formula in numpy
source: Beygelzimer and Langford, KDD 2009
notes: As good as the model; the interval does not include errors of the model.
names: {Open Bandit Pipeline: "DirectMethod"}
example: {q_policy: [0.5, 0.25, 0.75, 0.5], result: 0.5}
-#}
{%- macro direct_method__value(m) -%}
{{ sqlmetrics.weighted_mean(m, 'q_policy') }}
{%- endmacro -%}
