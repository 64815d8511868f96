{#-
title: logged actions
rows: one per row of the log, an action with its reward
unit: row
step: none
counts: count(*)
slices: columns
diagnostics:
  effective_rows: 'sum(weight * (target / nullif(propensity, 0))) * sum(weight * (target / nullif(propensity, 0))) / nullif(sum(weight * (target / nullif(propensity, 0)) * (target / nullif(propensity, 0))), 0)'
  mean_importance: 'sum(weight * (target / nullif(propensity, 0))) / nullif(sum(weight), 0)'
  largest_importance: 'max(case when weight > 0 then target / nullif(propensity, 0) end)'
diagnostics_read: [propensity, target]
columns: reward, propensity, target, weight and, where a metric reads them, q_action and q_policy
metric_parameters:
  max_weight: {type: number, required: true, minimum: 0, doc: the largest importance weight that is used unchanged}
-#}

{#- The metrics of this frame aggregate the rows as they are: no step of its own. -#}
{%- macro logged_actions(f, rows_from, keys) -%}{%- endmacro -%}

{#- The importance weight: how much more often the new policy would have done what was done. -#}
{%- macro importance() -%}(target / nullif(propensity, 0)){%- endmacro -%}
