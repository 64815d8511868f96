{#-
title: logged actions
rows: one per row of the log, an action with its reward
unit: row
step: none
counts: count(*)
slices: columns
diagnostics:
  effective_rows: "sum(weight * (target / nullif(propensity, 0))) * sum(weight * (target / nullif(propensity, 0)))\n        / nullif(sum(weight * (target / nullif(propensity, 0)) * (target / nullif(propensity, 0))), 0)"
  mean_importance: 'sum(weight * (target / nullif(propensity, 0))) / nullif(sum(weight), 0)'
  largest_importance: 'max(case when weight > 0 then target / nullif(propensity, 0) end)'
diagnostics_read: [propensity, target]
columns: reward, propensity, target, weight and, where a metric reads them, q_action and q_policy
metric_parameters:
  max_weight: {type: number, required: true, minimum: 0, doc: the largest importance weight that is used unchanged}
-#}

{#- Metrics of this frame aggregate the rows directly, so it has no step. -#}
{%- macro logged_actions(f, rows_from, keys) -%}{%- endmacro -%}

{#- Importance weight: probability of the logged action under the new over the old policy. -#}
{%- macro importance() -%}(target / nullif(propensity, 0)){%- endmacro -%}
