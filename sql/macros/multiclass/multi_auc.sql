{#-
title: AUC of several classes
answers: [classes, order]
formula: mean over the classes of the AUC of each against the rest (ovr), or over the pairs of classes of both AUCs of one against the other (ovo)
frame: class_areas
truth: class
lower: 0
upper: 1
better: higher
scale: 0.5 is chance
undefined: NULL when a class of `scores` has no row, or is the only one
oracle: sklearn.metrics.roc_auc_score
source: Fawcett, Pattern Recognition Letters 27 (2006); Hand and Till, Machine Learning 45 (2001), for ovo
notes: A label without a column is an error. A class is ranked by its own column, which must lie in [0, 1] but need not add up to 1 with the others.
parameters:
  scores: {type: columns, required: true, doc: the column of each class's probability}
  multi_class:
    default: ovr
    choices: {ovr: 'each class against the rest', ovo: 'each class against each other one, which does not move with how frequent classes are'}
    doc: what is ranked against what
  average:
    default: macro
    choices: {macro: 'all classes, or pairs, count the same', weighted: 'as many times as rows are of the class, or of either class of the pair'}
    doc: how the areas are averaged
names: {scikit-learn: "roc_auc_score (multi-class)"}
example: {label: [cat, dog, dog, cat], p_cat: [0.6, 0.2, 0.5, 0.4], p_dog: [0.3, 0.7, 0.65, 0.6], call: "multi_auc(scores={'cat': 'p_cat', 'dog': 'p_dog'})", result: 0.875}
-#}
{%- macro multi_auc__value(m) -%}
{%- set classes = m.class_scores | length -%}
{%- set pairs = classes * (classes - 1) -%}
{%- if m.multi_class == 'ovo' -%}
{%- set area = '(beaten / nullif(weight_of_other, 0))' -%}
{%- set value = sqlmetrics.safe_divide('sum(' ~ area ~ ' * (positives + weight_of_other))', 'sum(positives + weight_of_other)') if m.average == 'weighted' else 'avg(' ~ area ~ ')' -%}
{%- else -%}
{%- set areas = [] -%}
{%- set masses = [] -%}
{%- for score in m.class_scores -%}
{%- set of_class = 'case when class = ' ~ loop.index ~ ' then ' -%}
{%- set mass = 'max(' ~ of_class ~ 'positives end)' if m.average == 'weighted' else '1' -%}
{%- do areas.append(mass ~ ' * (sum(' ~ of_class ~ 'beaten end) / nullif(sum(' ~ of_class ~ 'weight_of_other end), 0))') -%}
{%- do masses.append(mass) -%}
{%- endfor -%}
{%- set value = '(' ~ areas | join('\n        + ') ~ ')\n        / (' ~ masses | join(' + ') ~ ')' -%}
{%- endif -%}
case
    when count(*) = {{ pairs }} and min(positives) > 0 and min(weight_of_other) > 0
        then {{ value }}
end
{%- endmacro -%}
