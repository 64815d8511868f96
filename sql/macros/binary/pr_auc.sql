{#-
title: Area under the precision-recall curve, interpolated
answers: [order, rare]
formula: between two thresholds FP grows in proportion to TP, and precision with it; from (0, 0) positives called
frame: thresholds
uses: [totals, above, positives_alone]
label_type: binary
score: number
lower: 0
upper: 1
better: higher
scale: the base rate is chance
undefined: NULL without positives
oracle: XGBoost aucpr; sklearn.metrics.auc of precision_recall_curve
source: Davis and Goadrich, ICML 2006
notes: Also called AUPRC, as is average_precision.
parameters:
  interpolation:
    default: davis_goadrich
    choices:
      davis_goadrich: FP linear in TP between points, from (0, 0)
      trapezoid: straight lines, from recall 0 and precision 1
      spark: straight lines, from recall 0 and the precision of the highest score
    doc: how to interpolate between points
    presets: {sklearn: trapezoid, spark: spark}
    used_by: {davis_goadrich: XGBoost, trapezoid: 'scikit-learn (auc of its curve)', spark: Spark}
  no_positives:
    type: number
    default: null
    minimum: 0
    maximum: 1
    doc: the value without positives; NULL by default
    presets: {sklearn: 0.5, spark: 0}
    used_by: {0.5: 'scikit-learn, whose curve has recall 1 then', 0: Spark}
names: {scikit-learn: "auc of precision_recall_curve"}
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.7973}
-#}
{#- Inside a step TP grows by t and FP by h·t, so precision is (TP + t) / (TP + FP + (1 + h)·t). Its mean over the step is a mean of the
    precision above, with weight L = ln(1 + u) / u, and that of the step alone, with weight 1 − L. Here u is the ratio of the rows of
    the step to those above. Up to u = 0.001, 1 − L loses its digits in doubles, so it is a series. Above, ln(w) / (w − 1) is right to
    the last digit, for any rounding of w. -#}
{%- macro pr_auc__mean_precision() -%}
{%- set rows_above = '(true_positives_above + false_positives_above)' -%}
{%- set above = 'true_positives_above / ' ~ rows_above -%}
{%- set own = 'pos / (pos + neg)' -%}
{%- set u = '(pos + neg) / ' ~ rows_above -%}
{%- set growth = '(true_positives + false_positives) / ' ~ rows_above -%}
{%- set logarithm = 'ln(' ~ growth ~ ')\n            / (' ~ growth ~ ' - 1)' -%}
{%- set series = u ~ ' / 2\n        * (1 - ' ~ u ~ ' * 2 / 3\n            * (1 - ' ~ u ~ ' * 3 / 4\n                * (1 - ' ~ u ~ ' * 4 / 5)))' -%}
case
    when {{ rows_above }} = 0 then {{ own }}
    when pos + neg < 0.001 * {{ rows_above }} then {{ above }}
        + ({{ own }} - {{ above }})
        * {{ series }}
    else {{ above }}
        * {{ logarithm }}
        + {{ own }} * (1 - {{ logarithm }})
end
{%- endmacro -%}

{%- macro pr_auc__value(m) -%}
{%- if m.no_positives is not none -%}coalesce({%- endif -%}
{%- if m.interpolation == 'davis_goadrich' -%}
sum(case when pos > 0 then pos / positives * {{ sqlmetrics.pr_auc__mean_precision() }} end)
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
