{#-
title: Area under the precision-recall curve, interpolated
formula: between two thresholds FP grows in proportion to TP, and precision with it; from (0, 0) positives called
frame: thresholds
uses: [totals, above]
truth: binary
score: number
range: 0 to 1, the base rate is chance, higher is better
undefined: NULL without positives
oracle: XGBoost aucpr; sklearn.metrics.auc of precision_recall_curve
source: Davis and Goadrich, ICML 2006
parameters:
  interpolation:
    default: davis_goadrich
    choices:
      davis_goadrich: FP linear in TP between points, from (0, 0)
      trapezoid: straight lines, from recall 0 and precision 1
      spark: straight lines, from recall 0 and the precision of the highest score
    doc: how the curve goes between its points
    presets: {spark: spark}
    used_by: {davis_goadrich: XGBoost, trapezoid: 'scikit-learn (auc of its curve)', spark: Spark}
  no_positives:
    type: number
    default: null
    minimum: 0
    maximum: 1
    doc: the value without positives; NULL by default
    presets: {spark: 0}
    used_by: {0: Spark}
names: {scikit-learn: "auc of precision_recall_curve"}
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.7973}
-#}
{#- Inside a step TP grows by t and FP by h·t, so precision is (TP + t) / (TP + FP + (1 + h)·t); the integral over t is a
    logarithm, or plain where nothing but positives was called before. -#}
{%- macro pr_auc__value(m) -%}
{%- if m.no_positives is not none -%}coalesce({%- endif -%}
{%- if m.interpolation == 'davis_goadrich' -%}
sum(case when pos > 0 then (
    pos * pos / (pos + neg)
    + case
        when true_positives_above + false_positives_above > 0
            then pos * (true_positives_above * neg - pos * false_positives_above) / ((pos + neg) * (pos + neg))
                * ln((true_positives + false_positives) / (true_positives_above + false_positives_above))
        else 0
    end
) / positives end)
{%- else -%}
{%- set first = '1' if m.interpolation == 'trapezoid' else 'true_positives / nullif(true_positives + false_positives, 0)' -%}
sum(pos / nullif(positives, 0) * (
    true_positives / nullif(true_positives + false_positives, 0)
    + case
        when true_positives_above + false_positives_above > 0
            then true_positives_above / (true_positives_above + false_positives_above)
        else {{ first }}
    end
) / 2)
{%- endif -%}
{%- if m.no_positives is not none -%}{{ sqlmetrics.without_positives(m) }}){%- endif -%}
{%- endmacro -%}
