{#-
title: Clipped inverse propensity score estimate
answers: [policy]
formula: mean of min(w, max_weight)·r, w = target / propensity
frame: logged_actions
roles: {reward: required, propensity: required, target: required, weight: optional}
better: higher
scale: in the unit of the reward
undefined: NULL without rows
oracle: InverseProbabilityWeighting(lambda_=max_weight) of Open Bandit Pipeline, its formula in numpy
source: Ionides, JCGS 17 (2008); Bottou et al., JMLR 14 (2013)
parameters: [max_weight]
notes: 'Clipping biases the estimate downwards: raise max_weight until only the interval grows.'
names: {Open Bandit Pipeline: "InverseProbabilityWeighting (lambda_)"}
example: {reward: [1, 0, 1, 0], propensity: [0.5, 0.5, 0.25, 0.25], target: [0.25, 0.5, 0.5, 0.0], call: clipped_ips(max_weight=1), result: 0.375}
-#}
{%- macro clipped_ips__value(m) -%}
{{ sqlmetrics.weighted_mean(m, '(least(' ~ sqlmetrics.importance() ~ ', ' ~ sqlmetrics.number(m.max_weight) ~ ') * reward)') }}
{%- endmacro -%}
