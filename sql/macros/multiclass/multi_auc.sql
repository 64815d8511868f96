{#-
title: AUC of several classes
answers: [classes, order]
formula: mean over the classes of the AUC of each against the rest (ovr), or over the pairs of classes of both AUCs of one against the other (ovo)
frame: class_areas
label_type: class
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
  multi_class: frame
  average:
    default: macro
    choices: {macro: 'all classes, or pairs, count the same', weighted: 'by the rows of the class, or of both classes of the pair'}
    doc: how the areas are averaged
names: {scikit-learn: "roc_auc_score (multi-class)"}
example: {label: [cat, dog, dog, cat], p_cat: [0.6, 0.2, 0.5, 0.4], p_dog: [0.3, 0.7, 0.65, 0.6], call: "multi_auc(scores={'cat': 'p_cat', 'dog': 'p_dog'})", result: 0.875}
-#}
{%- macro multi_auc__value(m) -%}
{%- set classes = m.class_scores | length -%}
{%- set mass = 'weight_of_first' ~ (' + weight_of_second' if m.multi_class == 'ovo') -%}
case
    when count(*) = {{ classes * (classes - 1) if m.multi_class == 'ovo' else classes }} and min(weight_of_first) > 0 and min(weight_of_second) > 0
        then {{ sqlmetrics.safe_divide('sum(area * (' ~ mass ~ '))', 'sum(' ~ mass ~ ')') if m.average == 'weighted' else 'avg(area)' }}
end
{%- endmacro -%}
