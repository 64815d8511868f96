{#-
title: Self-normalised inverse propensity score estimate
answers: [policy]
formula: Σ w·r / Σ w, w = target / propensity
frame: logged_actions
roles: {reward: required, propensity: required, target: required, weight: optional}
better: higher
scale: in the unit of the reward
undefined: NULL where the target policy chooses none of the logged actions
oracle: SelfNormalizedInverseProbabilityWeighting of Open Bandit Pipeline, its formula in numpy
source: Swaminathan and Joachims, NeurIPS 2015
names: {Open Bandit Pipeline: "SelfNormalizedInverseProbabilityWeighting"}
example: {reward: [1, 0, 1, 0], propensity: [0.5, 0.5, 0.25, 0.25], target: [0.25, 0.5, 0.5, 0.0], result: 0.7143}
-#}
{%- macro snips__value(m) -%}
{{ sqlmetrics.safe_divide(sqlmetrics.weighted_sum(m, '(' ~ sqlmetrics.importance() ~ ' * reward)'), sqlmetrics.weighted_sum(m, sqlmetrics.importance())) }}
{%- endmacro -%}
