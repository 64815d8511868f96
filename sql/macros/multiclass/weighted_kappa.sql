{#-
title: Weighted kappa
answers: [classes]
formula: 1 − Σ dᵢⱼ·oᵢⱼ / Σ dᵢⱼ·eᵢⱼ, oᵢⱼ the share of rows of class i called j, eᵢⱼ that of chance by the margins, dᵢⱼ = |i − j| or (i − j)² between the places of the classes in their order
frame: ordered_classes
label_type: class
score: class
lower: -1
upper: 1
better: higher
scale: 0 is chance
undefined: NULL when every label and every prediction is of one class
oracle: sklearn.metrics.cohen_kappa_score(weights)
source: Cohen, Psychological Bulletin 70 (1968)
parameters:
  weights:
    default: quadratic
    choices: {linear: 'the number of classes between prediction and label', quadratic: 'its square: the weighted kappa of most contests and studies'}
    doc: the cost of a wrong prediction
notes: For ordered classes, such as stars or severities. Strings are ordered alphabetically, and categories of pandas or enums as they are declared, so map low, medium and high to numbers (`= case size when 'low' then 1 …`). As in scikit-learn, classes count by their rank among the classes that occur, so 1, 2, 5 have the same distances as 1, 2, 3. Unlike there, a class whose rows all have weight 0 has no rank. Quadratic kappa is `weights='quadratic'`.
names: {scikit-learn: "cohen_kappa_score(weights)"}
example: {label: [1, 1, 2, 3], prediction: [1, 2, 2, 3], result: 0.8}
-#}
{#- Shares of the weight, since squares of weights may overflow. A class without weight has no rank of its own. -#}
{%- macro weighted_kappa__value(m) -%}
{%- set share = {} -%}
{%- for column in ['label_weight', 'predicted_weight', 'label_below', 'predicted_below', 'distance', 'squared_distance'] -%}
{%- do share.update({column: '(' ~ column ~ ' / nullif(weight_of_all, 0))'}) -%}
{%- endfor -%}
{%- if m.weights == 'linear' -%}
{%- set seen = sqlmetrics.sum_of(m, share.distance) -%}
{%- set apart = share.label_below ~ ' * ((weight_of_all - predicted_below) / nullif(weight_of_all, 0))\n                + ' ~ share.predicted_below ~ ' * ((weight_of_all - label_below) / nullif(weight_of_all, 0))' -%}
{%- set by_chance = sqlmetrics.sum_of(m, 'case when label_weight + predicted_weight > 0 then ' ~ apart ~ ' end') -%}
{%- else -%}
{%- set seen = sqlmetrics.sum_of(m, share.squared_distance) -%}
{%- set means = sqlmetrics.sum_of(m, share.label_weight ~ ' * rank_from_mean') ~ '\n                    * ' ~ sqlmetrics.sum_of(m, share.predicted_weight ~ ' * rank_from_mean') -%}
{%- set by_chance = '(' ~ sqlmetrics.sum_of(m, '(' ~ share.label_weight ~ ' + ' ~ share.predicted_weight ~ ')\n                    * rank_from_mean * rank_from_mean') ~ '\n                - 2 * ' ~ means ~ ')' -%}
{%- endif -%}
case
    when {{ sqlmetrics.sum_of(m, 'case when class_rank > 1 then 1 else 0 end') }} > 0
        then 1 - {{ seen }}
            / nullif({{ by_chance }}, 0)
end
{%- endmacro -%}
